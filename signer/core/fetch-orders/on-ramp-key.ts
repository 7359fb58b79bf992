import { hash, type KeyObject } from "node:crypto"
import { toBinary } from "@bufbuild/protobuf"
import { type OnRampKeys, OnRampKeysSchema } from "../../../proto/gen/countersign/signer/v1/fetcher_pb.ts"
import { clientContext } from "../crypto/client-hpke.ts"
import { openHpke } from "../crypto/hpke.ts"
import { uncompressP256 } from "../crypto/p256.ts"
import type { Secret } from "../crypto/secret.ts"
import { type Refusal, refuse } from "../refusal.ts"

const POINT_LENGTH = 33
const TAG_LENGTH = 16

/** Opens decoded bytes with the on-ramp key; undefined for every fault. The caller wipes the text. */
export function openSealedKey(recipient: KeyObject, sealed: Uint8Array): Secret | undefined {
  const enc = uncompressP256(sealed.subarray(0, POINT_LENGTH))
  if (enc === undefined || sealed.length < POINT_LENGTH + TAG_LENGTH) return undefined
  return openHpke({ recipient, enc }, clientContext(enc, recipient), sealed.subarray(POINT_LENGTH))
}

/** Members of a request that hold sealed keys. */
export type KeyMember = "encryptedSecretApiKey" | "encryptedPrivateApiKey"

/** One refusal for a key that does not open and for another organization's: callers cannot distinguish them. */
export function unopenedKey(member: KeyMember): Refusal {
  const sentence = `parameters.${member} cannot be opened for this organization: seal the provider's key again, to onRampPublicKey of the pins`
  return refuse("ON_RAMP_KEY_INVALID", sentence, { field: `parameters.${member}` })
}

/** Refusal of a key whose sealed text names another organization than the one that registers it. */
export function foreignKey(member: KeyMember): Refusal {
  const sentence = `parameters.${member} was sealed for another organization: seal the key for this one, countersign seal on-ramp-key`
  return refuse("ON_RAMP_KEY_OF_ANOTHER_ORGANIZATION", sentence, { field: `parameters.${member}` })
}

/** SHA-256 of serialized keys, by which statements name them. */
export function onRampKeysDigest(keys: OnRampKeys): Uint8Array {
  return hash("sha256", toBinary(OnRampKeysSchema, keys), "buffer")
}
