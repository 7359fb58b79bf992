import { Router } from "@koa/router"
import { create } from "@bufbuild/protobuf"
import { PinsSchema } from "../../../proto/gen/countersign/state/v1/setup_pb.ts"
import { writeJson } from "../../../proto/write.ts"
import { Deadline, MAX_REQUEST_MS } from "../../../signer/core/turns/deadline.ts"
import { type Handler, reply, type RequestState } from "../../common/context.ts"
import { inTime } from "../../common/in-time.ts"
import { ownVersion } from "../../common/own-version.ts"
import { type Stop, STOPPING } from "../../common/stop.ts"
import { docsPages, operationOfPage } from "../../common/pages/docs-pages.ts"
import { FRONT_PATH, frontPage } from "../../common/pages/front-page.ts"
import type { OpenApiDocument } from "../../common/openapi/document.ts"
import { documentationSite } from "./site.ts"
import type { ApiReadiness } from "../signer/readiness.ts"
import type { Signer } from "../signer/signer.ts"
import { LOG_PATH, type logPages } from "./log-pages.ts"
import { CONFIGURATION_PATH, issuerConfiguration, issuerKeySet } from "./issuer-pages.ts"
import { KEY_SET_PATH } from "../../../signer/core/oidc/issued-token.ts"
import { WEBHOOK_KEYS_PATH, webhookKeys } from "./webhook-keys-page.ts"

export type PagesRouter = Router<RequestState>

/** Pages whose parts the service assembles. `log`: absent where the log is not public. */
type OwnPages = { authProxyConfig: Handler; log?: ReturnType<typeof logPages> | undefined }

/** Pages outside the stamped interface: health, version, pins, documentation. */
export function pagesRouter(
  readiness: () => Promise<ApiReadiness>,
  signer: Pick<Signer, "getPins">,
  stop: Stop,
  { authProxyConfig, log }: OwnPages,
): PagesRouter {
  const router: PagesRouter = new Router()
  const site = documentationSite()
  const pages = [
    page(FRONT_PATH, frontPage),
    page("/livez", (context) => reply(context, '{"live":true}')),
    page("/readyz", async (context) => {
      const state = stop.isRequested ? STOPPING : await readiness()
      reply(context, JSON.stringify(state), state.ready ? 200 : 503)
    }),
    page("/version", (context) => reply(context, VERSION)),
    // Relayed from the signer. Clients that pin these keys compare them with the operator's own statement.
    page("/public/v1/pins", async (context) => {
      const { pins } = await signer.getPins()
      reply(context, JSON.stringify(writeJson(PinsSchema, pins ?? create(PinsSchema))))
    }),
    page("/public/v1/auth_proxy_configs/:configId", authProxyConfig),
    ...(log ? [page(LOG_PATH, log.description), page(`${LOG_PATH}/{*resource}`, log.resource)] : []),
    page(CONFIGURATION_PATH, issuerConfiguration(signer)),
    page(KEY_SET_PATH, issuerKeySet(signer)),
    page(WEBHOOK_KEYS_PATH, webhookKeys(signer)),
    page("/openapi.json", openApi()),
    page("/llms.txt", site.llms),
    page("/docs", site.root),
    ...docsPages("API", readOpenApi),
    page("/docs/{*page}", site.page),
  ]
  for (const { path, handle } of pages) {
    router.get(path, (context) => {
      context.state.operation = operationOfPage(path)
      return inTime((async () => handle(context))(), new Deadline(MAX_REQUEST_MS))
    })
  }
  return router
}

/** Returns a function that says whether a path is a page. The address alone is one for browsers only. */
export function isPageOf(pages: PagesRouter): (path: string) => boolean {
  return (path) => path !== FRONT_PATH && pages.match(path, "GET").path.length > 0
}

function page(path: string, handle: Handler): { path: string; handle: Handler } {
  return { path, handle }
}

const VERSION = JSON.stringify({ name: "countersign", version: ownVersion(), interface: "v1" })

/** Built at the first request: the document is large, and most processes never need it. */
function openApi(): Handler {
  let text: string | undefined
  return async (context) => {
    text ??= JSON.stringify(await readOpenApi())
    reply(context, text)
  }
}

let openApiDocument: OpenApiDocument | undefined

async function readOpenApi(): Promise<OpenApiDocument> {
  openApiDocument ??= (await import("../../common/openapi/core.ts")).openApiDocument()
  return openApiDocument
}
