import { create, toBinary } from "@bufbuild/protobuf"
import { type AddressFormat, TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { PrivateKeyParams } from "../../../proto/gen/countersign/api/v1/params_pb.ts"
import { PrivateKeyRecordSchema, RecordKind } from "../../../proto/gen/countersign/state/v1/record_pb.ts"
import { addressOf, requireAddressFormat } from "../keys/address/index.ts"
import type { PrivateKey } from "../../core/crypto/curve.ts"
import { createPrivateKey } from "../keys/private-key.ts"
import { SigningKey } from "../keys/signing-key.ts"
import { addressFormatName, curveName } from "../keys/wire.ts"
import { tagPrivateKeys } from "../organization/private-key-tags.ts"
import { requireTags } from "../organization/tags.ts"
import { refuse } from "../../core/refusal.ts"
import type { Activity, ActivityContext } from "./activity.ts"

const FIELD = "parameters.privateKeys"

/** Addresses that all keys of one request may have together: the signer does nothing else while it makes them. */
const MAX_ADDRESSES = 4_000

export const createPrivateKeys: Activity<"createPrivateKeysIntent", "createPrivateKeysResult"> = {
  run: ({ privateKeys }, context) => ({
    privateKeyIds: bearPrivateKeys(privateKeys, context).map(({ privateKeyId }) => privateKeyId),
  }),
}

export const createPrivateKeysV2: Activity<"createPrivateKeysIntentV2", "createPrivateKeysResultV2"> = {
  run: ({ privateKeys }, context) => ({ privateKeys: bearPrivateKeys(privateKeys, context) }),
}

export type Born = { privateKeyId: string; addresses: { format: AddressFormat; address: string }[] }

/** Everything is looked at before the first key is made. */
function bearPrivateKeys(privateKeys: readonly PrivateKeyParams[], context: ActivityContext): Born[] {
  const { organization } = context
  requireFewAddresses(privateKeys)
  const tagsOfKeys = privateKeys.map((parameters, index) => {
    const at = `${FIELD}[${index}]`
    requireFormats(parameters, at)
    const tagIds = parameters.privateKeyTags.map((id) => id.toLowerCase())
    return requireTags(organization, TagType.PRIVATE_KEY, tagIds, `${at}.privateKeyTags`)
  })
  const born = privateKeys.map((parameters, index) => bear(parameters, `${FIELD}[${index}]`, context))
  for (const tag of new Set(tagsOfKeys.flat())) {
    const tagged = born.filter((_, index) => tagsOfKeys[index]?.includes(tag))
    const ids = tagged.map(({ privateKeyId }) => privateKeyId)
    tagPrivateKeys(organization, tag, ids, FIELD)
  }
  return born
}

/** @throws LIMIT_EXCEEDED */
function requireFewAddresses(privateKeys: readonly PrivateKeyParams[]): void {
  const count = privateKeys.reduce((sum, { addressFormats }) => sum + addressFormats.length, 0)
  if (count <= MAX_ADDRESSES) return
  const sentence = `the keys have ${count} addresses together, at most ${MAX_ADDRESSES} fit into one request`
  throw refuse("LIMIT_EXCEEDED", sentence, { field: FIELD })
}

/** @throws REQUEST_INVALID, ADDRESS_FORMAT_INVALID */
export function requireFormats(
  { curve, addressFormats }: Pick<PrivateKeyParams, "curve" | "addressFormats">,
  at: string,
): void {
  const name = curveName(curve, `${at}.curve`)
  addressFormats.forEach((format, index) => {
    const field = `${at}.addressFormats[${index}]`
    requireAddressFormat(addressFormatName(format), name, field)
    if (addressFormats.indexOf(format) === index) return
    throw refuse("ADDRESS_FORMAT_INVALID", "invalid address format: it is named twice", { field })
  })
}

/** One key. Its secret exists in clear only inside this function. */
function bear(parameters: PrivateKeyParams, at: string, context: ActivityContext): Born {
  const { curve, secret } = createPrivateKey(curveName(parameters.curve), context.random)
  try {
    return storePrivateKey({ ...parameters, imported: false, key: { curve, secret } }, at, context)
  } finally {
    secret.wipe()
  }
}

/** Whoever made the key wipes it. */
export type NewPrivateKey = Pick<PrivateKeyParams, "privateKeyName" | "curve" | "addressFormats"> & {
  imported: boolean
  key: PrivateKey
}

/** Keeps a private key, wherever it came from, with its addresses. */
export function storePrivateKey(
  { privateKeyName: name, curve, addressFormats, imported, key }: NewPrivateKey,
  at: string,
  context: ActivityContext,
): Born {
  const { changes } = context
  changes.takeName("private key", name, `${at}.privateKeyName`)
  const privateKeyId = context.newId()
  const { publicKey, addresses } = publicParts(new SigningKey(key), addressFormats)
  for (const [index, { address }] of addresses.entries()) {
    changes.takeAddress(address, { privateKeyId }, `${at}.addressFormats[${index}]`)
  }
  const nowMs = BigInt(context.nowMs)
  const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
  const record = create(PrivateKeyRecordSchema, { name, curve, publicKey, addresses, imported, ...times })
  const payload = toBinary(PrivateKeyRecordSchema, record)
  changes.addRecord({ kind: RecordKind.PRIVATE_KEY, id: privateKeyId, payload, secret: key.secret })
  return { privateKeyId, addresses }
}

/** What the world may know of a key, which is wiped. */
function publicParts(key: SigningKey, addressFormats: readonly AddressFormat[]) {
  try {
    const addresses = addressFormats.map((format) => ({
      format,
      address: addressOf(addressFormatName(format), key),
    }))
    return { publicKey: key.publicKeyUncompressed ?? key.publicKeyHex, addresses }
  } finally {
    key.wipe()
  }
}
