import type { AccountRequest } from "../../proto/gen/countersign/api/v1/proxy_pb.ts"
import type { OperationEntry } from "../../proto/declared-operations.ts"
import { proxyPaths } from "../../proto/proxy-operations.ts"
import { readMessage } from "../../proto/read.ts"
import { parseStrictJson } from "../../proto/strict-json.ts"
import { isOriginAllowed } from "../../signer/core/auth-proxy/origins.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import { type Context, type Handler, reply } from "../common/context.ts"
import type { Route, Routes } from "../common/dispatch.ts"
import { Deadline, MAX_REQUEST_MS } from "../../signer/core/turns/deadline.ts"
import { inTime } from "../common/in-time.ts"
import { readRawBody } from "../common/raw-body.ts"
import { account } from "./account.ts"
import type { CallerLimits } from "./caller-limits.ts"
import { siteKeyOf } from "./captcha.ts"
import type { Captcha } from "./turnstile.ts"
import type { Configuration, Configurations } from "./configurations.ts"
import type { CoreApi } from "./core-api.ts"
import { withLinkBase } from "../common/error-reply.ts"
import { linkBaseOf } from "../common/link-base.ts"
import { CoreRefusal } from "./core-refusal.ts"
import { oauthLogin, otpLogin } from "./logins.ts"
import { oauth2Authenticate } from "./oauth2-authenticate.ts"
import { otpInit, otpVerify } from "./one-time-codes.ts"
import { OrganizationClient } from "./organization-client.ts"
import type { OwnKey } from "./own-key.ts"
import type { ProxyRequest } from "./proxy-request.ts"
import { signup } from "./signup.ts"
import { walletKitConfig } from "./wallet-kit-config.ts"

export type OperationDeps = {
  coreApi: Pick<CoreApi, "post">
  configurations: Pick<Configurations, "get" | "refresh">
  ownKey: OwnKey
  limits: Pick<CallerLimits, "countAddress" | "countConfiguration" | "addressOf">
  captcha: Captcha | undefined
  now: () => number
}

/** Answers one operation with the members of its reply. */
type Operation = (request: ProxyRequest) => object | Promise<object>

const OPERATIONS: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ["wallet_kit_config", walletKitConfig],
  ["wallet_kit_client_params", clientParams],
  ["account", (request) => account(request.message as AccountRequest, request)],
  ["signup", (request) => signup(request, "V7")],
  ["signup_v2", (request) => signup(request, "V8")],
  ["otp_init", (request) => otpInit(request, "in clear")],
  ["otp_init_v2", (request) => otpInit(request, "sealed")],
  ["otp_verify", otpVerify],
  ["otp_verify_v2", otpVerify],
  ["otp_login", (request) => otpLogin(request, "")],
  ["otp_login_v2", (request) => otpLogin(request, "_V2")],
  ["oauth2_authenticate", oauth2Authenticate],
  ["oauth_login", oauthLogin],
])

/** Every operation of the catalog at `POST /v1/<operation>`. */
export function operationRoutes(deps: OperationDeps): Routes {
  return new Map(
    [...proxyPaths].map(([path, entry]): [string, Route] => {
      const answer = OPERATIONS.get(path)
      if (answer === undefined) throw new Error(`operation ${path} has no answer`)
      return [`/v1/${path}`, { operation: path, handle: handler(entry, answer, deps) }]
    }),
  )
}

/** Parameters with which a page calls; without a captcha there are none. */
function clientParams(request: ProxyRequest): object {
  const turnstileSiteKey = siteKeyOf(request)
  return turnstileSiteKey === undefined ? {} : { turnstileSiteKey }
}

/** Answers a request; refusals of the core API are passed on, whatever the proxy asked it for. */
function handler(entry: OperationEntry, answer: Operation, deps: OperationDeps): Handler {
  return async (context) => {
    try {
      const request = await readRequest(context, entry, deps)
      const members = await inTime((async () => answer(request))(), new Deadline(MAX_REQUEST_MS))
      reply(context, JSON.stringify(members))
    } catch (error) {
      if (!(error instanceof CoreRefusal)) throw error
      relay(context, error)
    }
  }
}

/**
 * The order of the checks: caller's rate, configuration, its rate, enabled, origin, body. So no body is read whose headers name no
 * configuration.
 */
async function readRequest(
  context: Context,
  entry: OperationEntry,
  { coreApi, configurations, ownKey, limits, captcha, now }: OperationDeps,
): Promise<ProxyRequest> {
  limits.countAddress(context.req)
  const configuration = await configurations.get(requireConfigId(context))
  const { configId, organizationId } = configuration
  context.state.organizationId = organizationId
  limits.countConfiguration(configId)
  if (!configuration.isEnabled) throw disabled()
  requireOrigin(context, configuration)
  const { message, clean } = readMembers(entry, await readRawBody(context, entry.maxBodyBytes))
  const refresh = () => configurations.refresh(configId)
  return {
    message,
    clean,
    configuration,
    organization: new OrganizationClient(configuration, { coreApi, ownKey, refresh, now }),
    captcha,
    captchaToken: captchaTokenOf(context),
    address: limits.addressOf(context.req),
    nowMs: now(),
  }
}

/** A missing body counts as one without members. @throws ReadFault, StrictJsonError */
function readMembers({ input }: OperationEntry, body: Buffer) {
  return readMessage(input, body.length === 0 ? {} : parseStrictJson(body.toString()))
}

/** The core API's own reply: status, body, and how long to wait. */
function relay(context: Context, { reply: { status, text }, reason }: CoreRefusal): void {
  context.state.reason = reason
  if (status === 429 || status === 503) context.set("Retry-After", "1")
  reply(context, withLinkBase(text, linkBaseOf(context)), status)
}

function captchaTokenOf({ req }: Context): string {
  const token = req.headers["x-captcha-token"]
  return typeof token === "string" ? token : ""
}

function requireConfigId({ req }: Context): string {
  const id = req.headers["x-auth-proxy-config-id"]
  if (typeof id === "string" && id !== "") return id
  throw new ApiError(
    GrpcCode.invalidArgument,
    "missing X-Auth-Proxy-Config-Id header: send the id that get_auth_proxy_config shows",
    { publicCode: "REQUEST_INVALID", reason: "AUTH_PROXY_CONFIG_MISSING" },
  )
}

/** Longest text of an origin that an error repeats. */
const MAX_SHOWN_ORIGIN = 200

/** Refuses other origins, and hides the refusal from the page: it names no allowed origin. @throws ApiError 403 */
function requireOrigin(context: Context, { settings }: Configuration): void {
  const { origin } = context.req.headers
  if (isOriginAllowed(origin, settings)) return
  context.res.removeHeader("Access-Control-Allow-Origin")
  const configuration = `configuration ${requireConfigId(context)}`
  const sentence =
    origin === undefined
      ? `the request has none; ${configuration} takes such requests where allowMissingOrigin is true`
      : `${origin.slice(0, MAX_SHOWN_ORIGIN)} is not in allowedOrigins of ${configuration}; add it with update_auth_proxy_config`
  throw new ApiError(GrpcCode.permissionDenied, `origin not allowed: ${sentence}`, {
    publicCode: "REQUEST_NOT_AUTHORIZED",
    reason: "ORIGIN_NOT_ALLOWED",
  })
}

function disabled(): ApiError {
  return new ApiError(GrpcCode.permissionDenied, "auth proxy is disabled: enable it with enable_auth_proxy", {
    publicCode: "REQUEST_NOT_AUTHORIZED",
    reason: "AUTH_PROXY_DISABLED",
  })
}
