import { once } from "node:events"
import { readFileSync } from "node:fs"
import http from "node:http"
import https from "node:https"
import type { AddressInfo } from "node:net"
import type { CertificateFiles } from "./certificates.ts"

export type WebServer = {
  port: number
  /** Requested paths. */
  asked: string[]
  close(): Promise<void>
}

/** A server on the loopback with the test's handler; with a certificate it serves TLS. */
export async function webServer(
  answer: (request: http.IncomingMessage, response: http.ServerResponse) => unknown,
  certificate?: CertificateFiles,
  port = 0,
): Promise<WebServer> {
  const asked: string[] = []
  const listener: http.RequestListener = (request, response) => {
    asked.push(request.url ?? "")
    void answer(request, response)
  }
  const server = certificate
    ? https.createServer(
        { key: readFileSync(certificate.keyFile), cert: readFileSync(certificate.certificateFile) },
        listener,
      )
    : http.createServer(listener)
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}
