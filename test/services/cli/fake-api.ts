import { createHash } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import type { Test } from "tap"

export type Seen = { method: string; path: string; body: string; stamp: string | undefined }
export type Answer = { status?: number; reply: unknown; headers?: Record<string, string> }

/** An API that answers what a test says and remembers what it was asked. */
export async function fakeApi(t: Test, answers: Record<string, Answer | ((body: string) => Answer)>) {
  const seen: Seen[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? ""
    const stamp = request.headers["x-stamp"]
    const body = await text(request)
    seen.push({
      method: request.method ?? "",
      path,
      body,
      stamp: typeof stamp === "string" ? stamp : undefined,
    })
    const found = answers[path] ?? { status: 404, reply: { code: 5, message: `no ${path}` } }
    const { status = 200, reply, headers } = typeof found === "function" ? found(body) : found
    response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(withFingerprint(reply, path, body)))
  }
  const server = createServer((request, response) => void answer(request, response)).listen(0, "127.0.0.1")
  await once(server, "listening")
  t.teardown(() => server.close())
  const address = server.address()
  const port = typeof address === "object" && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, seen }
}

/** The reply to a submitted activity has the fingerprint of its body where a test states none. */
function withFingerprint(reply: unknown, path: string, body: string): unknown {
  const { activity, ...rest } = (reply ?? {}) as { activity?: { fingerprint?: string } }
  if (activity === undefined || !path.includes("/submit/") || activity.fingerprint !== undefined) return reply
  const fingerprint = `sha256:${createHash("sha256").update(body).digest("hex")}`
  return { ...rest, activity: { ...activity, fingerprint } }
}
