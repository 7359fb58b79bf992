import { type KeyObject, sign } from "node:crypto"
import { openProxyKey } from "../../signer/core/auth-proxy/sealed-key.ts"
import { p256PrivateKey } from "../../signer/core/crypto/p256.ts"
import { wiping } from "../../signer/core/crypto/secret.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import type { Configuration } from "./configurations.ts"
import { type CoreApi, type CoreReply, requireObject } from "./core-api.ts"
import { CoreRefusal } from "./core-refusal.ts"
import type { OwnKey } from "./own-key.ts"

type Json = { [member: string]: unknown }

/** An activity of the core API, as far as the proxy reads it. */
export type CompletedActivity = { result: Json; appProofs: unknown[] }

type ClientDeps = {
  coreApi: Pick<CoreApi, "post">
  ownKey: OwnKey
  /** The current configuration, after the API refused a key that was current. */
  refresh: () => Promise<Configuration>
  now: () => number
}

/** Requests of one organization's proxy user. The key is opened for each request alone. */
export class OrganizationClient {
  readonly #configuration: Configuration
  readonly #deps: ClientDeps

  constructor(configuration: Configuration, deps: ClientDeps) {
    this.#configuration = configuration
    this.#deps = deps
  }

  /** @throws CoreRefusal, ApiError 503 */
  async query(path: string, members: Json): Promise<Json> {
    const { organizationId } = this.#configuration
    const text = await this.#send(`query/${path}`, { organizationId, ...members })
    return JSON.parse(text) as Json
  }

  /**
   * Submits an activity for the organization. `beside`: other members of the request; with `organizationId`, it is for that
   * sub-organization.
   * @throws CoreRefusal, ApiError 403, 503
   */
  async submit(path: string, type: string, parameters: Json, beside: Json = {}): Promise<CompletedActivity> {
    const { organizationId } = this.#configuration
    const timestampMs = String(this.#deps.now())
    const text = await this.#send(`submit/${path}`, {
      type,
      timestampMs,
      organizationId,
      parameters,
      ...beside,
    })
    const activity = requireObject(JSON.parse(text) as Json, "activity")
    if (activity["status"] !== "ACTIVITY_STATUS_COMPLETED") throw waits(path)
    return {
      result: requireObject(activity, "result"),
      appProofs: (activity["appProofs"] ?? []) as unknown[],
    }
  }

  async #send(path: string, members: Json): Promise<string> {
    const body = JSON.stringify(members)
    const first = await this.#stamped(path, body, this.#configuration)
    // The organization may have got another key since its configuration was read.
    const reply = first.status === 401 ? await this.#stamped(path, body, await this.#deps.refresh()) : first
    if (reply.status !== 200) throw new CoreRefusal(reply)
    return reply.text
  }

  #stamped(path: string, body: string, configuration: Configuration): Promise<CoreReply> {
    const { coreApi, ownKey } = this.#deps
    return coreApi.post(`/public/v1/${path}`, body, stampOf(body, configuration, ownKey))
  }
}

function stampOf(body: string, configuration: Configuration, ownKey: OwnKey): string {
  const signature = sign("sha256", Buffer.from(body), openKey(configuration, ownKey)).toString("hex")
  const { publicKey } = configuration
  const stamp = { publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature }
  return Buffer.from(JSON.stringify(stamp)).toString("base64url")
}

/** @throws ApiError 503 for a key that is sealed to another proxy, or that was moved */
function openKey(configuration: Configuration, { privateKey }: OwnKey): KeyObject {
  const scalar = openProxyKey(privateKey, configuration, configuration.sealedPrivateKey)
  if (scalar === undefined)
    throw new ApiError(
      GrpcCode.unavailable,
      "this auth proxy cannot open the organization's key: pair it with the signer, then enable_auth_proxy again",
      { publicCode: "INTERNAL", reason: "AUTH_PROXY_KEY_NOT_OPENED" },
    )
  return wiping([scalar], () => p256PrivateKey(scalar))
}

function waits(path: string): ApiError {
  return new ApiError(
    GrpcCode.permissionDenied,
    `request not authorized: policies of the organization make ${path} wait for approvals; allow it to the auth proxy's user alone`,
    { publicCode: "REQUEST_NOT_AUTHORIZED", reason: "AUTH_PROXY_NEEDS_APPROVAL" },
  )
}
