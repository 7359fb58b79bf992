import { Router } from "@koa/router"
import Koa from "koa"
import { reply, type RequestState } from "../common/context.ts"
import { dispatch, refuseUnknown, type Routes } from "../common/dispatch.ts"
import type { Logger } from "../common/logger.ts"
import { answerErrors } from "../common/middleware/answer-errors.ts"
import { countRequests } from "../common/metrics/count-requests.ts"
import type { Metrics } from "../common/metrics/metrics.ts"
import { closeConnections } from "../common/middleware/close-connections.ts"
import { allowCallersOrigin } from "../common/middleware/cors.ts"
import { logRequests } from "../common/middleware/log-request.ts"
import { identifyRequest } from "../common/middleware/request-id.ts"
import { traceRequests } from "../common/tracing/trace-requests.ts"
import type { Tracer } from "../common/tracing/tracer.ts"
import { requireHttp } from "../common/middleware/require-http.ts"
import { Stop, STOPPING } from "../common/stop.ts"
import type { OpenApiDocument } from "../common/openapi/document.ts"
import { docsPages, operationOfPage, REFERENCE_PATH } from "../common/pages/docs-pages.ts"
import { FRONT_PATH, frontPage } from "../common/pages/front-page.ts"
import { toApiError } from "./errors.ts"
import { openApiDocument } from "./openapi.ts"
import type { AuthProxyReadiness } from "./readiness.ts"

/** Headers that login pages may send. The proxy reads no cookie. */
const REQUEST_HEADERS =
  "Content-Type, Accept, X-Auth-Proxy-Config-Id, X-Captcha-Token, X-Client-Version, X-Request-Id, traceparent"

/** Paths that are called with GET. */
const PAGES = /^\/(?:livez|readyz|openapi\.json|docs(?:\/(?:collection\.json|(?:api|errors)(?:\/[^/]+)?))?)$/

/** A client's base URL is often that of the wrong host. */
const WRONG_HOST =
  "this is the auth proxy; the API is at the address in COUNTERSIGN_API_LISTEN, by default http://localhost:8080"

/** `publicUrl`: the proxy's address as callers know it, for links in replies. */
export type AuthProxyAppParts = {
  log: Logger
  stop?: Stop
  metrics?: Metrics | undefined
  /** Records requests; absent: tracing is off. */
  tracer?: Tracer | undefined
  publicUrl?: string | undefined
}

/** The middleware of every request, in order. Each operation's work is in its route. */
export function createApp(
  operations: Routes,
  readiness: () => Promise<AuthProxyReadiness>,
  { log, stop = new Stop(), metrics, tracer, publicUrl }: AuthProxyAppParts,
): Koa<RequestState> {
  const app = new Koa<RequestState>()
  app.use(closeConnections(stop))
  app.use(identifyRequest)
  app.use(traceRequests(tracer))
  app.use(logRequests(log))
  app.use(countRequests(metrics))
  app.use(allowCallersOrigin(REQUEST_HEADERS))
  app.use(answerErrors(toApiError, publicUrl))
  app.use(requireHttp)
  app.use(dispatch(operations))
  app.use(pages(readiness, stop).routes())
  app.use(
    refuseUnknown({
      isPage: (path) => PAGES.test(path),
      hintFor: (path) => (path.startsWith("/public/v1/") ? WRONG_HOST : "GET /docs/api lists them"),
    }),
  )
  app.on("error", (error) => log.debug({ err: error }, "a reply could not be sent"))
  return app
}

function pages(readiness: () => Promise<AuthProxyReadiness>, stop: Stop): Router<RequestState> {
  const router = new Router<RequestState>()
  let document: OpenApiDocument | undefined
  const readDocument = async () => (document ??= openApiDocument())
  router.get("/livez", (context) => {
    context.state.operation = "livez"
    reply(context, '{"live":true}')
  })
  router.get("/readyz", async (context) => {
    context.state.operation = "readyz"
    const state = stop.isRequested ? STOPPING : await readiness()
    reply(context, JSON.stringify(state), state.ready ? 200 : 503)
  })
  router.get("/openapi.json", async (context) => {
    context.state.operation = "openapi.json"
    reply(context, JSON.stringify(await readDocument()))
  })
  router.get("/docs", (context) => {
    context.state.operation = "docs"
    context.redirect(REFERENCE_PATH)
  })
  const documentation = docsPages("Auth proxy", readDocument)
  for (const { path, handle } of [{ path: FRONT_PATH, handle: frontPage }, ...documentation]) {
    router.get(path, (context) => {
      context.state.operation = operationOfPage(path)
      return handle(context)
    })
  }
  return router
}
