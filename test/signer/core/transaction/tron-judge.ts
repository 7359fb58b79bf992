import { utils } from "tronweb"
import fc from "fast-check"
import type { TronTransaction } from "../../../../signer/core/transaction/tron/transaction.ts"

// Tron transactions as tronweb writes and reads them. Numbers are exact up to 2^53 there.

type Json = { [name: string]: unknown }
export type RawJson = {
  contract: [{ type: string; Permission_id?: number; parameter: { type_url: string; value: Json } }]
  ref_block_bytes: string
  ref_block_hash: string
  expiration: number
  timestamp: number
  fee_limit: number
  data: string
}

const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((one) => Buffer.from(one).toString("hex"))
const address = hex(20).map((digits) => `41${digits}`)
const amount = fc.oneof(fc.constant(0), fc.nat(), fc.maxSafeNat())
const resource = fc.constantFrom("BANDWIDTH", "ENERGY")
const data = fc.uint8Array({ maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString("hex"))

const permission = (type: "Owner" | "Witness" | "Active") =>
  fc.record({
    type: fc.constant(type),
    id: type === "Owner" ? fc.constant(0) : fc.nat(9),
    permission_name: fc.string({ maxLength: 32 }),
    threshold: fc.nat(10),
    operations: type === "Active" ? hex(32) : fc.constant(""),
    keys: fc.array(fc.record({ address, weight: fc.nat(5) }), { maxLength: 3 }),
  })

const values = {
  TransferContract: fc.record({ owner_address: address, to_address: address, amount }),
  TriggerSmartContract: fc.record({
    owner_address: address,
    contract_address: address,
    call_value: amount,
    data,
    call_token_value: amount,
    token_id: amount,
  }),
  TransferAssetContract: fc.record({
    // The digits of a token's id, in hexadecimal.
    asset_name: fc.nat().map((id) => Buffer.from(String(id)).toString("hex")),
    owner_address: address,
    to_address: address,
    amount,
  }),
  WithdrawExpireUnfreezeContract: fc.record({ owner_address: address }),
  CancelAllUnfreezeV2Contract: fc.record({ owner_address: address }),
  WithdrawBalanceContract: fc.record({ owner_address: address }),
  UnfreezeBalanceContract: fc.record({
    owner_address: address,
    resource,
    receiver_address: fc.oneof(fc.constant(""), address),
  }),
  VoteWitnessContract: fc.record({
    owner_address: address,
    votes: fc.array(fc.record({ vote_address: address, vote_count: amount }), { maxLength: 30 }),
  }),
  FreezeBalanceV2Contract: fc.record({ owner_address: address, frozen_balance: amount, resource }),
  UnfreezeBalanceV2Contract: fc.record({ owner_address: address, unfreeze_balance: amount, resource }),
  DelegateResourceContract: fc.record({
    owner_address: address,
    resource,
    balance: amount,
    receiver_address: address,
    lock: fc.boolean(),
    lock_period: amount,
  }),
  UnDelegateResourceContract: fc.record({
    owner_address: address,
    resource,
    balance: amount,
    receiver_address: address,
  }),
  AccountPermissionUpdateContract: fc.record({
    owner_address: address,
    owner: permission("Owner").filter(({ threshold }) => threshold > 0),
    witness: fc.option(permission("Witness"), { nil: null }),
    actives: fc.array(permission("Active"), { maxLength: 3 }),
  }),
}

const contract = fc.oneof(
  ...Object.entries(values).map(([type, value]) =>
    fc.record({
      type: fc.constant(type),
      Permission_id: fc.nat(9),
      parameter: (value as fc.Arbitrary<Json>).map((one) => ({
        type_url: `type.googleapis.com/protocol.${type}`,
        value: one,
      })),
    }),
  ),
)

/** Transactions of all contract types, in the JSON of a node's HTTP interface. */
export const transactions: fc.Arbitrary<RawJson> = fc.record({
  contract: fc.tuple(contract),
  ref_block_bytes: hex(2),
  ref_block_hash: hex(8),
  expiration: amount,
  timestamp: amount,
  fee_limit: amount,
  data,
})

export function writtenByTronweb(raw: RawJson): Buffer {
  return Buffer.from(
    utils.transaction.txPbToRawDataHex(utils.transaction.txJsonToPb({ raw_data: raw })),
    "hex",
  )
}

/** SHA-256 in hexadecimal. */
export function txIdOfTronweb(raw: RawJson): string {
  return utils.transaction.txPbToTxID(utils.transaction.txJsonToPb({ raw_data: raw })).replace("0x", "")
}

export function readByTronweb(bytes: Buffer, type: string): RawJson {
  return utils.deserializeTx.deserializeTransaction(type, bytes.toString("hex")) as RawJson
}

/** The members of a transaction that tronweb reads, in its JSON. */
export function asRawJson({ contract, ...raw }: TronTransaction): RawJson {
  const { type, permissionId, fields } = contract
  return {
    contract: [
      {
        type,
        Permission_id: Number(permissionId),
        parameter: { type_url: `type.googleapis.com/protocol.${type}`, value: json(fields) as Json },
      },
    ],
    ref_block_bytes: raw.refBlockBytes,
    ref_block_hash: raw.refBlockHash,
    expiration: Number(raw.expiration),
    timestamp: Number(raw.timestamp),
    fee_limit: Number(raw.feeLimit),
    data: raw.data,
  }
}

function json(value: unknown, name = ""): unknown {
  if (typeof value === "bigint") return Number(value)
  if (name === "receiver_address" && value === undefined) return ""
  if (name === "asset_name") return Buffer.from(String(value)).toString("hex")
  if (typeof value === "string")
    return name.endsWith("address") ? utils.address.toHex(value).toLowerCase() : value
  if (Array.isArray(value)) return value.map((one) => json(one))
  if (typeof value !== "object" || value === null) return value ?? null
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, json(one, key)]))
}

/** Text of what was read, of what both readers tell: tronweb leaves out an owner's type and id, and all parents' ids. */
export function textOf({ contract: [contract], ...raw }: RawJson): string {
  const { ref_block_bytes, ref_block_hash, expiration, timestamp, fee_limit, data } = raw
  return JSON.stringify([
    { ref_block_bytes, ref_block_hash, expiration, timestamp, fee_limit, data },
    { type: contract.type, permission: contract.Permission_id, url: contract.parameter.type_url },
    comparable(contract.parameter.value),
  ]).toLowerCase()
}

function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== "object" || value === null) return value
  const members = Object.entries(value).filter(([name]) => name !== "parent_id")
  const isOwner = "threshold" in value && (!("type" in value) || value.type === "Owner")
  const shown = isOwner ? members.filter(([name]) => name !== "type" && name !== "id") : members
  return Object.fromEntries(
    shown
      .map(([name, one]) => [name, comparable(one)] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}
