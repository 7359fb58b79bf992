import { counted } from "../../../signer/core/counted.ts"
import { readTilePath } from "../../../signer/core/log/tiles.ts"
import type { ClientConnection } from "../../common/client-address.ts"
import { type Context, type Handler, reply } from "../../common/context.ts"
import { RateLimit } from "../../common/rate-limit.ts"
import { notFound } from "../errors.ts"
import type { ServedHead, ServedLog } from "../signer/served-log.ts"

// The signer's log as static resources (C2SP tlog-tiles). Nothing here is secret, and no reader trusts it: the log's key signs what counts.

/** Where the log is described. Its checkpoint, tiles and entries are below a path that each of its eras has of its own. */
export const LOG_PATH = "/public/v1/log"

/** A tile never changes, a partial one neither. */
const FOREVER = "public, max-age=31536000, immutable"
const A_SECOND = "public, max-age=1"

/** Rate limits: readers of a whole log ask for two tiles for each 256 leaves, and each costs the signer a read of its files. */
const OF_ADDRESS = { perSecond: 200, burst: 2000 }
const OF_ALL = { perSecond: 1000, burst: 4000 }

type LogPagesDeps = {
  log: Pick<ServedLog, "head" | "tile">
  /** Name of the request's address; "" for an unknown one. */
  addressOf: (request: ClientConnection) => string
}

/** The handlers of the log's description, and of everything below it. */
export function logPages({ log, addressOf }: LogPagesDeps): { description: Handler; resource: Handler } {
  const [ofAll, ofAddress] = [new RateLimit(OF_ALL), new RateLimit(OF_ADDRESS)]
  const limited =
    (handle: Handler): Handler =>
    (context) => {
      ofAddress.take(addressOf(context.req))
      ofAll.take("")
      return handle(context)
    }
  return {
    description: limited(async (context) => {
      reply(context, JSON.stringify(describe(await requireHead(log))))
      context.set("Cache-Control", A_SECOND)
    }),
    resource: limited(async (context) => {
      const [, prefix = "", resource = ""] = RESOURCE.exec(context.path) ?? []
      const head = await requireHead(log)
      if (prefix !== prefixOf(head.origin)) throw unknown(head)
      if (resource === "checkpoint")
        return send(context, head.checkpoint, "text/plain; charset=utf-8", A_SECOND)
      const tile = readTilePath(resource)
      const bytes = tile && (await log.tile(head.origin, tile))
      if (bytes === undefined) throw unknown(head)
      return send(context, bytes, "application/octet-stream", FOREVER)
    }),
  }
}

/** The lane, and the era if there is one, as in the origin; then what is asked for. */
const RESOURCE = /^(\/public\/v1\/log\/\d+(?:\/\d+)?)\/(checkpoint|tile\/.+)$/

/** The path of a log: its origin's lane and era. Each log has its own, because what is below it never changes. */
function prefixOf(origin: string): string {
  return `${LOG_PATH}/${origin.split("/").slice(2).join("/")}`
}

function describe({ origin, size, key, keyStatement, keySignature }: ServedHead) {
  return {
    origin,
    path: prefixOf(origin),
    key,
    size,
    keyStatement: Buffer.from(keyStatement).toString("base64"),
    keySignature: Buffer.from(keySignature).toString("base64"),
  }
}

async function requireHead(log: LogPagesDeps["log"]): Promise<ServedHead> {
  const head = await log.head()
  if (head === undefined) throw notFound("the signer's log has no checkpoint yet; ask again in a second")
  return head
}

function unknown({ origin, size }: ServedHead) {
  return notFound(
    `the log ${origin} has no such resource below ${prefixOf(origin)}: its checkpoint covers ${counted(size, "leaf", "leaves")}; ` +
      "ask for checkpoint, tile/<level>/<index>[.p/<width>] or tile/entries/<index>[.p/<width>]",
  )
}

function send(context: Context, bytes: Uint8Array, type: string, caching: string): void {
  context.set("Cache-Control", caching)
  context.set("Content-Type", type)
  context.body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
}
