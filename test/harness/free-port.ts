import { freeAddress } from "../../services/dev/port.ts"

/** A TCP port of this host that no process used a moment ago, and that no outgoing connection takes. */
export async function freePort(): Promise<number> {
  const { port } = await freeAddress("COUNTERSIGN_API_LISTEN", { host: "localhost", port: 0 })
  return port
}
