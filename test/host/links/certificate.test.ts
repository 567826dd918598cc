/**
 * The certificate of a hub (FED-14), held against what TLS itself makes of it.
 */
import { X509Certificate, createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer } from 'node:tls'
import { expect, test } from 'vitest'
import { systemErrorCode } from '../../../src/core/thrown.ts'
import { HostRefusal } from '../../../src/host/files/refusal.ts'
import { createCertificate, type HubCertificate } from '../../../src/host/links/certificate.ts'
import { hasProgram } from '../../support/needs.ts'
import { createTempDir } from '../../support/temp-dir.ts'

/** Goes to a server that shows a certificate. @returns the fault the client finds; undefined where it has none */
async function faultOf(shown: HubCertificate, ca: string, servername: string): Promise<string | undefined> {
  const server = createServer({ cert: shown.certificate, key: shown.key }, (socket) => socket.end())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  const client = connect({ port, host: '127.0.0.1', ca, servername })
  const fault = await new Promise<string | undefined>((resolve) => {
    client.once('secureConnect', () => resolve(undefined))
    client.once('error', (error) => resolve(systemErrorCode(error)))
  })
  client.destroy()
  server.close()
  return fault
}

test.runIf(hasProgram('openssl'))(
  'a hub is trusted by its own authority and its own name, whatever its address; by no other (FED-14)',
  async () => {
    const [own, other] = [1, 2].map(() => createCertificate('agentd-hub', process.env['PATH']))
    if (own === undefined || other === undefined) throw new Error('no certificates')

    expect(await faultOf(own, own.authority, 'agentd-hub')).toBeUndefined()
    expect(await faultOf(own, other.authority, 'agentd-hub')).toMatch(/VERIFY|SIGNATURE/)
    expect(await faultOf(own, own.authority, 'localhost')).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
  },
)

test.runIf(hasProgram('openssl'))(
  'what the server shows can sign nothing, and holds from a day before for years (FED-14)',
  () => {
    const { authority, certificate, key } = createCertificate('agentd-hub', process.env['PATH'])

    const shown = new X509Certificate(certificate)
    expect(shown.ca).toBe(false)
    expect(shown.checkPrivateKey(createPrivateKey(key))).toBe(true)
    expect(new X509Certificate(authority).ca).toBe(true)
    expect(shown.verify(new X509Certificate(authority).publicKey)).toBe(true)
    // A machine whose clock is slow by less than a day takes it too.
    for (const { validFrom } of [shown, new X509Certificate(authority)]) {
      const beganMs = Date.now() - Date.parse(validFrom)
      expect(beganMs).toBeGreaterThanOrEqual(86_400_000)
      expect(beganMs).toBeLessThan(86_400_000 + 60_000)
    }
    expect(Date.parse(shown.validTo) - Date.now()).toBeGreaterThan(3_600 * 86_400_000)
  },
)

test('without openssl the command says what to install', async () => {
  await using dir = await createTempDir()

  expect(() => createCertificate('agentd-hub', dir.path)).toThrow(HostRefusal)
  expect(() => createCertificate('agentd-hub', dir.path)).toThrow(
    /There is no openssl here.*apt install openssl/,
  )
})
