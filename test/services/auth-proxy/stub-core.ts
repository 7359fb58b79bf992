import { randomBytes, randomUUID } from "node:crypto"
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf"
import type { AuthProxySettingsSchema } from "../../../proto/gen/countersign/api/v1/auth_proxy_pb.ts"
import { AuthProxyStatementSchema } from "../../../proto/gen/countersign/state/v1/auth_proxy_pb.ts"
import type { CoreReply } from "../../../services/auth-proxy/core-api.ts"
import { AUTH_PROXY_TAG } from "../../../signer/core/auth-proxy/statement.ts"
import { openKeySet, signTagged } from "../../../signer/core/crypto/keyset.ts"
import { Secret } from "../../../signer/core/crypto/secret.ts"
import { newAuthProxyKey } from "../../../signer/enclave/keys/auth-proxy-key.ts"
import { proxyOwnKey } from "../../harness/auth-proxy.ts"

type Settings = MessageInitShape<typeof AuthProxySettingsSchema>

/** A core API of one organization, honest until a test changes a member. Its signer signs for real. */
export class StubCore {
  readonly organizationId = randomUUID()
  readonly configId = randomUUID()
  readonly notarizer = openKeySet(Secret.moveFrom(randomBytes(32)))
  /** Key set of the signer's fetcher. */
  readonly fetcher = openKeySet(Secret.moveFrom(randomBytes(32)))
  settings: Settings = {}
  unusableMethods: readonly string[] = []
  enabled = true
  version = 1n
  key = this.newKey(proxyOwnKey.publicKeyHex)
  /** Paths that were asked, and stamped bodies with the stamp's public key. */
  readonly asked: string[] = []
  readonly posted: { path: string; body: { [member: string]: unknown }; publicKey: string }[] = []
  /** Replies to stamped requests, in order; without one, an empty object. */
  readonly replies: CoreReply[] = []
  /** Alters what the signer states, or what is relayed. */
  state: (
    stated: MessageInitShape<typeof AuthProxyStatementSchema>,
  ) => MessageInitShape<typeof AuthProxyStatementSchema> = (stated) => stated
  relay: (reply: CoreReply) => CoreReply = (reply) => reply

  newKey(ownKeyHex: string) {
    const { organizationId, configId } = this
    return newAuthProxyKey(ownKeyHex, { organizationId, configId }, randomBytes)
  }

  get notarizerPublicKey(): string {
    return this.notarizer.publicHex
  }

  readonly get = async (path: string): Promise<CoreReply> => {
    this.asked.push(path)
    const { pathname, searchParams } = new URL(path, "http://core")
    if (!pathname.endsWith(`/${this.configId}`)) return { status: 404, text: `{"code":5,"message":"none"}` }
    const { organizationId, configId, version: documentVersion, enabled, settings } = this
    const { publicKey, sealedPrivateKey } = this.key
    const config = { configId, userId: organizationId, enabled, publicKey, settings }
    const nonce = Buffer.from(searchParams.get("nonce") ?? "", "hex")
    const stated = {
      organizationId,
      documentVersion,
      organizationName: "Acme",
      config,
      sealedPrivateKey,
      nonce,
      unusableMethods: [...this.unusableMethods],
      fetcherPublicKey: this.fetcher.publicHex,
    }
    return this.relay({ status: 200, text: this.signed(this.state(stated)) })
  }

  signed(stated: MessageInitShape<typeof AuthProxyStatementSchema>): string {
    const statement = toBinary(AuthProxyStatementSchema, create(AuthProxyStatementSchema, stated))
    const signature = signTagged(this.notarizer, AUTH_PROXY_TAG, statement)
    return JSON.stringify({ statement: base64(statement), signature: base64(signature) })
  }

  readonly post = async (path: string, body: string, xStamp: string): Promise<CoreReply> => {
    const { publicKey } = JSON.parse(Buffer.from(xStamp, "base64url").toString()) as { publicKey: string }
    this.posted.push({ path, body: JSON.parse(body) as { [member: string]: unknown }, publicKey })
    return this.replies.shift() ?? { status: 200, text: "{}" }
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64")
}
