import type { RequestListener, ServerResponse } from "node:http"
import { type Stop, STOPPING } from "../common/stop.ts"
import type { WorkerReadiness } from "./worker.ts"

/** The pages of a process that serves no operation: /livez and /readyz. */
export function pages(readiness: () => Promise<WorkerReadiness>, stop: Stop): RequestListener {
  return ({ method, url }, response) => {
    if (method !== "GET") reply(response, 405, { error: "use GET" })
    else if (url === "/livez") reply(response, 200, { live: true })
    else if (url !== "/readyz") reply(response, 404, { error: "GET /livez or /readyz" })
    else if (stop.isRequested) reply(response, 503, STOPPING)
    else void readiness().then((state) => reply(response, state.ready ? 200 : 503, state))
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-store" }
  response.writeHead(status, headers).end(JSON.stringify(body))
}
