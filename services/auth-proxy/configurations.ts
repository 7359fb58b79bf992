import { type KeyObject, randomBytes } from "node:crypto"
import { readBase64 } from "../../signer/core/encodings.ts"
import { readAuthProxyStatement } from "../../signer/core/auth-proxy/statement.ts"
import { type EffectiveSettings, withDefaults } from "../../signer/core/auth-proxy/settings.ts"
import { readPublicKeySet } from "../../signer/core/crypto/keyset.ts"
import { RecentlyUsed } from "../../signer/core/recently-used.ts"
import { readUuid } from "../../signer/core/uuid.ts"
import { ApiError, GrpcCode } from "../common/api-error.ts"
import { RateLimit } from "../common/rate-limit.ts"
import type { CoreApi } from "./core-api.ts"
import { CoreRefusal } from "./core-refusal.ts"

/** The configuration of an organization, stated by its signer. */
export type Configuration = {
  configId: string
  organizationId: string
  organizationName: string
  documentVersion: bigint
  isEnabled: boolean
  /** The organization's proxy key, and its private half, sealed to this proxy. */
  publicKey: string
  sealedPrivateKey: Uint8Array
  settings: EffectiveSettings
  /** Ways to log in that cannot work whatever the settings say. */
  unusableMethods: readonly string[]
  /** Issuer of the ID tokens that the service signs for users of OAuth 2.0 providers; "": it signs none. */
  oidcIssuer: string
  /** Key with which the fetcher signs verification tokens and ID tokens; undefined: the signer is paired with none. */
  fetcherKey: KeyObject | undefined
}

/** Longest time for which a configuration is used without asking for it again: changes act at once for people. */
const REUSED_MS = 2000

/** Configurations that are remembered, about 2 KiB each. */
const MAX_CONFIGURATIONS = 10_000

/** Look-ups of ids that are not known, a second: nobody who sends random ids delays the organizations that are served. */
const UNKNOWN_IDS = { perSecond: 20, burst: 100 }

const NONCE_LENGTH = 32

type ConfigurationsDeps = {
  coreApi: Pick<CoreApi, "get">
  /** Key set of the signer's notarizer, from its pins; undefined: the proxy is not paired. */
  notarizerPublicKey: string | undefined
  /** Monotonic milliseconds. */
  elapsedMs?: () => number
}

/**
 * Configurations by their ids. Each is stated by the signer for a nonce of this process, so the API that relays it can neither
 * alter nor replay it. A version older than one that was seen is refused.
 */
export class Configurations {
  readonly #deps: ConfigurationsDeps
  readonly #elapsedMs: () => number
  readonly #known = new RecentlyUsed<string, { configuration: Configuration; readAtMs: number }>(
    MAX_CONFIGURATIONS,
  )
  readonly #reading = new Map<string, Promise<Configuration>>()
  readonly #unknownIds: RateLimit

  constructor(deps: ConfigurationsDeps) {
    this.#deps = deps
    this.#elapsedMs = deps.elapsedMs ?? (() => performance.now())
    this.#unknownIds = new RateLimit({ ...UNKNOWN_IDS, elapsedMs: this.#elapsedMs })
  }

  /** A configuration at most two seconds old. @throws ApiError 404, 429, 503 */
  async get(id: string): Promise<Configuration> {
    const configId = readUuid(id)
    if (configId === undefined) throw notFound(id)
    const known = this.#known.get(configId)
    if (known === undefined) this.#unknownIds.take("")
    else if (this.#elapsedMs() - known.readAtMs < REUSED_MS) return known.configuration
    return this.#shared(configId)
  }

  /** The current configuration. @throws ApiError 404, 503 */
  refresh(configId: string): Promise<Configuration> {
    return this.#shared(configId)
  }

  /** One read for all callers that arrive while it runs. */
  #shared(configId: string): Promise<Configuration> {
    const earlier = this.#reading.get(configId)
    if (earlier !== undefined) return earlier
    const started = this.#read(configId).finally(() => this.#reading.delete(configId))
    this.#reading.set(configId, started)
    return started
  }

  async #read(configId: string): Promise<Configuration> {
    const { coreApi, notarizerPublicKey } = this.#deps
    const notarizer = readPublicKeySet(notarizerPublicKey ?? "")?.sign
    if (notarizer === undefined) throw notPaired()
    const nonce = randomBytes(NONCE_LENGTH)
    const readAtMs = this.#elapsedMs()
    const path = `/public/v1/auth_proxy_configs/${configId}?nonce=${nonce.toString("hex")}`
    const reply = await coreApi.get(path)
    if (reply.status === 404) throw notFound(configId)
    if (reply.status !== 200) throw new CoreRefusal(reply)
    const statement = readAuthProxyStatement(readSigned(reply.text), { notarizer, nonce })
    const { config, documentVersion = 0n } = statement ?? {}
    if (statement === undefined || config?.configId !== configId) throw unverified("it is not the signer's")
    const seen = this.#known.get(configId)?.configuration.documentVersion ?? 0n
    if (documentVersion < seen) throw unverified(`it is of version ${documentVersion}, after ${seen}`)
    const configuration = {
      configId,
      organizationId: statement.organizationId,
      organizationName: statement.organizationName,
      documentVersion,
      isEnabled: config.enabled,
      publicKey: config.publicKey ?? "",
      sealedPrivateKey: statement.sealedPrivateKey,
      settings: withDefaults(config.settings),
      unusableMethods: statement.unusableMethods,
      oidcIssuer: statement.oidcIssuer,
      fetcherKey: readPublicKeySet(statement.fetcherPublicKey)?.sign,
    }
    this.#known.set(configId, { configuration, readAtMs })
    return configuration
  }
}

function readSigned(text: string) {
  const { statement, signature } = JSON.parse(text) as { statement?: unknown; signature?: unknown }
  return { statement: bytesOf(statement), signature: bytesOf(signature) }
}

function bytesOf(text: unknown): Uint8Array {
  return (typeof text === "string" ? readBase64(text) : undefined) ?? new Uint8Array(0)
}

/** Longest text of an id that an error repeats. */
const MAX_SHOWN_ID = 64

/** Published: the same reply to a malformed and to an unknown id. */
function notFound(id: string): ApiError {
  return new ApiError(
    GrpcCode.notFound,
    `auth proxy config not found: no organization has ${id.slice(0, MAX_SHOWN_ID)}; copy the id that get_auth_proxy_config shows`,
    {
      publicCode: "REQUEST_INVALID",
      reason: "AUTH_PROXY_CONFIG_UNKNOWN",
    },
  )
}

function notPaired(): ApiError {
  return new ApiError(
    GrpcCode.unavailable,
    "this auth proxy is not paired with a signer: see docs/OPERATIONS.md",
    {
      publicCode: "INTERNAL",
      reason: "AUTH_PROXY_NOT_PAIRED",
    },
  )
}

function unverified(why: string): ApiError {
  return new ApiError(GrpcCode.unavailable, "the configuration cannot be verified; try again", {
    publicCode: "INTERNAL",
    reason: "AUTH_PROXY_CONFIG_UNVERIFIED",
    cause: new Error(`the API relayed a configuration, but ${why}`),
  })
}
