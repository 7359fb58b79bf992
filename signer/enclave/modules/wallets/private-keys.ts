import { create, toBinary } from "@bufbuild/protobuf"
import type { AddressFormat } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { PrivateKeyParams } from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import { PrivateKeyRecordSchema, RecordKind } from "../../../../proto/gen/countersign/state/v1/record_pb.ts"
import type { PrivateKey } from "../../../core/crypto/curve.ts"
import { wipingAfter } from "../../../core/crypto/secret.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Steps } from "../../../core/turns/steps.ts"
import { addressOf, requireAddressFormat } from "../../keys/address/index.ts"
import { SigningKey } from "../../keys/signing-key.ts"
import { addressFormatName, curveName } from "../../keys/wire.ts"
import type { ActivityContext } from "../../activities/activity.ts"

export type CreatedPrivateKey = {
  privateKeyId: string
  addresses: { format: AddressFormat; address: string }[]
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
    throw refuse(
      "ADDRESS_FORMAT_INVALID",
      "invalid address format: it is named twice; name each format once",
      { field },
    )
  })
}

/** The caller wipes `key`. */
export type NewPrivateKey = Pick<PrivateKeyParams, "privateKeyName" | "curve" | "addressFormats"> & {
  imported: boolean
  key: PrivateKey
}

/** Stores a generated or imported private key with its addresses, one address a step. */
export function* storePrivateKey(
  stored: NewPrivateKey,
  at: string,
  context: ActivityContext,
): Steps<CreatedPrivateKey> {
  const { privateKeyName: name, curve, addressFormats, imported, key } = stored
  const { changes } = context
  yield* changes.prepare({ names: [{ kind: "private key", name }] })
  changes.takeName("private key", name, `${at}.privateKeyName`)
  const privateKeyId = context.newId()
  const signing = new SigningKey(key)
  const { publicKey, addresses } = yield* wipingAfter([signing], publicParts(signing, addressFormats))
  yield* changes.prepare({ addresses: addresses.map(({ address }) => address) })
  for (const [index, { address }] of addresses.entries())
    changes.takeAddress(address, { privateKeyId }, `${at}.addressFormats[${index}]`)
  const nowMs = BigInt(context.nowMs)
  const times = { createdAtMs: nowMs, updatedAtMs: nowMs }
  const record = create(PrivateKeyRecordSchema, { name, curve, publicKey, addresses, imported, ...times })
  const payload = toBinary(PrivateKeyRecordSchema, record)
  changes.addRecord({ kind: RecordKind.PRIVATE_KEY, id: privateKeyId, payload, secret: key.secret })
  return { privateKeyId, addresses }
}

/** Public key and addresses of a key. */
function* publicParts(key: SigningKey, addressFormats: readonly AddressFormat[]) {
  const publicKey = key.publicKeyUncompressed ?? key.publicKeyHex
  const addresses: CreatedPrivateKey["addresses"] = []
  for (const format of addressFormats) {
    addresses.push({ format, address: addressOf(addressFormatName(format), key) })
    yield
  }
  return { publicKey, addresses }
}
