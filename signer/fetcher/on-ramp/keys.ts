import type { KeyObject } from "node:crypto"
import { FiatOnRampProvider } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { OnRampKeys, OnRampKeysTask } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { readBoundSecret } from "../../core/fetch-orders/bound-secret.ts"
import {
  foreignKey,
  type KeyMember,
  onRampKeysDigest,
  openSealedKey,
  unopenedKey,
} from "../../core/fetch-orders/on-ramp-key.ts"
import type { StatedFact } from "../../core/fetch-orders/statement.ts"
import { Secret, wiping } from "../../core/crypto/secret.ts"
import { refuse } from "../../core/refusal.ts"
import { isCoinbaseKeyId, readCoinbaseKey } from "./coinbase-key.ts"

/** Opened keys of a provider. They live inside the callback of `withOpenKeys`. */
type OpenKeys =
  | { provider: "moonpay"; secretKey: Secret }
  | { provider: "coinbase"; keyId: string; privateKey: KeyObject }

/** States that sealed keys open for their organization, and are of their provider's form. */
export function checkOnRampKeys({ keys }: OnRampKeysTask, receiver: KeyObject): StatedFact {
  if (keys === undefined) throw unopenedKey("encryptedSecretApiKey")
  withOpenKeys(keys, receiver, () => undefined)
  return { case: "onRampKeys", value: { keysDigest: onRampKeysDigest(keys) } }
}

/**
 * Hands the opened keys to `use`, which is synchronous, and wipes them. The result of `use` may hold a key object.
 *
 * @throws ON_RAMP_KEY_INVALID, ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION, the codes of `use`
 */
export function withOpenKeys<T>(keys: OnRampKeys, receiver: KeyObject, use: (open: OpenKeys) => T): T {
  const { organizationId, sealedSecretApiKey, sealedPrivateApiKey } = keys
  const open = (sealed: Uint8Array, member: KeyMember) => openFor(organizationId, sealed, receiver, member)
  const secretApiKey = open(sealedSecretApiKey, "encryptedSecretApiKey")
  return wiping([secretApiKey], () => {
    switch (keys.provider) {
      case FiatOnRampProvider.MOONPAY:
        requireMoonPayKey(secretApiKey, keys.sandbox)
        return use({ provider: "moonpay", secretKey: secretApiKey })
      case FiatOnRampProvider.COINBASE: {
        const privateApiKey = open(sealedPrivateApiKey, "encryptedPrivateApiKey")
        return wiping([privateApiKey], () => use(coinbaseKeys(secretApiKey, privateApiKey)))
      }
      default:
        // The signer orders no other; a later one may.
        throw unopenedKey("encryptedSecretApiKey")
    }
  })
}

function openFor(organizationId: string, sealed: Uint8Array, receiver: KeyObject, member: KeyMember): Secret {
  const text = openSealedKey(receiver, sealed)
  if (text === undefined) throw unopenedKey(member)
  return wiping([text], () =>
    text.use((bytes) => {
      const bound = readBoundSecret("on-ramp-key", bytes)
      if (bound === undefined) throw unopenedKey(member)
      if (bound.organizationId !== "" && bound.organizationId !== organizationId) throw foreignKey(member)
      return Secret.copyOf(bound.secret)
    }),
  )
}

const PREFIX_LENGTH = 8

/** MoonPay's secret keys begin with sk_live_, those of its sandbox with sk_test_. */
function requireMoonPayKey(secretKey: Secret, sandbox: boolean): void {
  const prefix = sandbox ? "sk_test_" : "sk_live_"
  const isOne = secretKey.use(
    (bytes) =>
      Buffer.from(prefix).equals(bytes.subarray(0, PREFIX_LENGTH)) &&
      bytes.length > PREFIX_LENGTH &&
      bytes.every((byte) => byte > 0x20 && byte < 0x7f),
  )
  if (!isOne) throw malformed("encryptedSecretApiKey", `a secret key of MoonPay, which begins with ${prefix}`)
}

function coinbaseKeys(secretApiKey: Secret, privateApiKey: Secret): OpenKeys {
  const keyId = secretApiKey.use((bytes) => Buffer.from(bytes).toString("latin1"))
  if (!isCoinbaseKeyId(keyId))
    throw malformed("encryptedSecretApiKey", "the id of a secret API key of Coinbase")
  const privateKey = readCoinbaseKey(privateApiKey)
  if (privateKey !== undefined) return { provider: "coinbase", keyId, privateKey }
  throw malformed(
    "encryptedPrivateApiKey",
    "a private key of Coinbase: a P-256 key in PEM, or 64 bytes of Ed25519 in base64",
  )
}

function malformed(member: KeyMember, expected: string) {
  return refuse("ON_RAMP_KEY_INVALID", `parameters.${member} opens, but is not ${expected}`, {
    field: `parameters.${member}`,
  })
}
