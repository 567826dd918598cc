/**
 * The certificate of a hub, made by `openssl`: Node can check one and cannot make one.
 *
 * The authority that signs it lives for that moment only. Links pin it, and nobody, not even the hub, can have it sign
 * another certificate later.
 *
 * @see docs/link.md; FED-14
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemErrorCode } from '../../core/thrown.ts'
import { HostRefusal } from '../files/refusal.ts'

/** A certificate and what belongs to it, each as PEM. */
export interface HubCertificate {
  /** The authority that links pin. */
  readonly authority: string
  readonly certificate: string
  readonly key: string
}

const DAY_MS = 86_400_000

/** Ten years: nothing renews it by itself, and who can read its key can be everything else of the hub's too. */
const VALID_MS = 3_650 * DAY_MS

/** How far back it begins: a machine whose clock is slow would otherwise refuse a hub that was made today. */
const BACKDATED_MS = DAY_MS

/** Each call takes some milliseconds; the bound keeps a hanging one from holding the command. */
const OPENSSL_TIMEOUT_MS = 30_000

/** What the authority and the server may do. The name is the same everywhere, whatever address a hub has. */
function extensions(serverName: string): string {
  return [
    '[req]',
    'distinguished_name = dn',
    '[dn]',
    // The command that takes a first moment too is the one that keeps a book of what it has signed.
    '[ca]',
    'default_ca = book',
    '[book]',
    'database = book.txt',
    'serial = serial.txt',
    'new_certs_dir = .',
    'default_md = sha256',
    'policy = any',
    '[any]',
    'commonName = supplied',
    '[authority]',
    'basicConstraints = critical,CA:TRUE,pathlen:0',
    'keyUsage = critical,keyCertSign',
    'subjectKeyIdentifier = hash',
    '[server]',
    'basicConstraints = critical,CA:FALSE',
    'keyUsage = critical,digitalSignature',
    'extendedKeyUsage = serverAuth',
    `subjectAltName = DNS:${serverName}`,
    '',
  ].join('\n')
}

/**
 * Makes an authority and the one certificate it ever signs.
 *
 * @param serverName - what links ask the server for, such as `agentd-hub`
 * @param path - where programs are looked for; undefined: nowhere but the system's own places
 * @throws HostRefusal where there is no openssl, or it fails
 */
export function createCertificate(serverName: string, path: string | undefined): HubCertificate {
  const folder = mkdtempSync(join(tmpdir(), 'agentd-hub-'))
  const at = (name: string): string => join(folder, name)
  const openssl = (...words: readonly string[]): void => runOpenssl(words, folder, path)
  const newKey = (name: string): void =>
    openssl('ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', name)
  try {
    for (const [name, text] of bookOf(serverName)) writeFileSync(at(name), text)
    const sign = (...words: readonly string[]): void =>
      openssl('ca', '-config', 'x.cnf', '-batch', '-notext', ...validity(Date.now()), ...words)
    newKey('ca-key.pem')
    newKey('key.pem')
    openssl(
      'req',
      '-new',
      ...named(`${serverName} authority`),
      '-key',
      'ca-key.pem',
      '-out',
      'ca-request.pem',
    )
    openssl('req', '-new', ...named(serverName), '-key', 'key.pem', '-out', 'request.pem')
    const own = ['-selfsign', '-keyfile', 'ca-key.pem', '-extensions', 'authority']
    sign(...own, '-in', 'ca-request.pem', '-out', 'ca.pem')
    const by = ['-cert', 'ca.pem', '-keyfile', 'ca-key.pem', '-extensions', 'server']
    sign(...by, '-in', 'request.pem', '-out', 'cert.pem')
    const [ca, certificate, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) =>
      readFileSync(at(name), 'utf8'),
    )
    return { authority: ca ?? '', certificate: certificate ?? '', key: key ?? '' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The files that it works on. */
function bookOf(serverName: string): readonly (readonly [name: string, text: string])[] {
  return [
    ['x.cnf', extensions(serverName)],
    ['book.txt', ''],
    ['serial.txt', '01\n'],
  ]
}

/** From when and until when, as `YYYYMMDDHHMMSSZ`. */
function validity(nowMs: number): readonly string[] {
  const [from, to] = [nowMs - BACKDATED_MS, nowMs + VALID_MS].map((atMs) =>
    new Date(atMs).toISOString().replaceAll(/[-:T]|\.\d+/g, ''),
  )
  return ['-startdate', from ?? '', '-enddate', to ?? '']
}

function named(name: string): readonly string[] {
  return ['-config', 'x.cnf', '-subj', `/CN=${name}`]
}

function runOpenssl(words: readonly string[], cwd: string, path: string | undefined): void {
  const env = { PATH: path ?? '/usr/bin:/bin', LC_ALL: 'C' }
  const options = { cwd, env, encoding: 'utf8', timeout: OPENSSL_TIMEOUT_MS } as const
  const { error, status, stderr } = spawnSync('openssl', words, options)
  if (error !== undefined && systemErrorCode(error) === 'ENOENT')
    throw new HostRefusal(
      'There is no openssl here, and it makes the certificate of a hub; install it ("apt install openssl").',
    )
  if (error === undefined && status === 0) return
  const why = (error?.message ?? stderr.trim().split('\n').at(-1)) || `exit code ${status}`
  throw new HostRefusal(`"openssl ${words[0] ?? ''}" failed, and no certificate was made: ${why}.`)
}
