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

/** Ten years: nothing renews it by itself, and who can read its key can be everything else of the hub's too. */
const VALID_DAYS = '3650'

/** Each call takes some milliseconds; the bound keeps a hanging one from holding the command. */
const OPENSSL_TIMEOUT_MS = 30_000

/** What the authority and the server may do. The name is the same everywhere, whatever address a hub has. */
function extensions(serverName: string): string {
  return [
    '[req]',
    'distinguished_name = dn',
    '[dn]',
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
    writeFileSync(at('x.cnf'), extensions(serverName))
    newKey('ca-key.pem')
    newKey('key.pem')
    const authority = ['-key', 'ca-key.pem', '-extensions', 'authority', '-out', 'ca.pem']
    openssl('req', '-new', '-x509', '-days', VALID_DAYS, ...named(`${serverName} authority`), ...authority)
    openssl('req', '-new', ...named(serverName), '-key', 'key.pem', '-out', 'request.pem')
    const signed = ['-CA', 'ca.pem', '-CAkey', 'ca-key.pem', '-set_serial', '1', '-days', VALID_DAYS]
    const shape = ['-extfile', 'x.cnf', '-extensions', 'server', '-out', 'cert.pem']
    openssl('x509', '-req', '-in', 'request.pem', ...signed, ...shape)
    const [ca, certificate, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) =>
      readFileSync(at(name), 'utf8'),
    )
    return { authority: ca ?? '', certificate: certificate ?? '', key: key ?? '' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
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
