import { connectFetcher } from "./fetcher.ts"
import { openEndpoint } from "./grpc-client.ts"
import type { TlsPaths } from "./peer-tls.ts"
import { signsProbe } from "./probe.ts"
import { connectSigner } from "./transport.ts"
import type { JoinedServer } from "../../../signer/core/join/names.ts"
import type { Logger } from "../../common/logger.ts"

/** Calls a server once with a certificate: "ok", or why it does not answer. */
export async function tryServer(
  { name, address }: JoinedServer,
  paths: TlsPaths,
  log: Logger,
): Promise<string> {
  const endpoint = openEndpoint(name, { address, tls: paths }, log)
  try {
    if (name === "fetcher") {
      const fetcher = connectFetcher(endpoint)
      await fetcher.isPaired().finally(fetcher.close)
      return "ok"
    }
    const signer = connectSigner(endpoint)
    return (await signsProbe(signer).finally(signer.close)) ? "ok" : "wrong signature"
  } catch (error) {
    return endpoint.tls?.fault ?? (error as Error).message
  }
}
