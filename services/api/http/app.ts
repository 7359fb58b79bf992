import Koa from "koa"
import type { RequestState } from "../../common/context.ts"
import { dispatch, refuseUnknown, type Routes } from "../../common/dispatch.ts"
import type { Logger } from "../../common/logger.ts"
import { answerErrors } from "../../common/middleware/answer-errors.ts"
import { countRequests } from "../../common/metrics/count-requests.ts"
import type { Metrics } from "../../common/metrics/metrics.ts"
import { closeConnections } from "../../common/middleware/close-connections.ts"
import { allowAnyOrigin } from "../../common/middleware/cors.ts"
import { logRequests } from "../../common/middleware/log-request.ts"
import { identifyRequest } from "../../common/middleware/request-id.ts"
import { traceRequests } from "../../common/tracing/trace-requests.ts"
import type { Tracer } from "../../common/tracing/tracer.ts"
import { requireHttp } from "../../common/middleware/require-http.ts"
import type { Stop } from "../../common/stop.ts"
import { toApiError } from "../errors.ts"
import { bodyFor } from "./published-errors.ts"
import { isPageOf, type PagesRouter } from "./pages.ts"

/** Request headers that CORS allows. */
const REQUEST_HEADERS =
  "Content-Type, Accept, X-Client-Version, X-Stamp, X-Stamp-WebAuthn, X-Stamp-Attested, X-Session, X-Request-Id, traceparent"

/** `publicUrl`: the API's address as callers know it, for links in replies. */
export type ApiAppParts = {
  log: Logger
  stop: Stop
  metrics?: Metrics | undefined
  /** Records requests; absent: tracing is off. */
  tracer?: Tracer | undefined
  publicUrl?: string | undefined
}

/** The middleware of every request, in order. Each operation has its own route. */
export function createApp(
  operations: Routes,
  pages: PagesRouter,
  { log, stop, metrics, tracer, publicUrl }: ApiAppParts,
): Koa<RequestState> {
  const app = new Koa<RequestState>()
  app.use(closeConnections(stop))
  app.use(identifyRequest)
  app.use(traceRequests(tracer))
  app.use(logRequests(log))
  app.use(countRequests(metrics))
  app.use(allowAnyOrigin(REQUEST_HEADERS))
  app.use(answerErrors(toApiError, publicUrl, bodyFor))
  app.use(requireHttp)
  app.use(dispatch(operations))
  app.use(pages.routes())
  app.use(refuseUnknown({ isPage: isPageOf(pages), hintFor: () => "GET /docs/api lists them" }))
  app.on("error", (error) => log.debug({ err: error }, "a reply could not be sent"))
  return app
}
