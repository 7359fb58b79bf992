import { randomBytes } from "node:crypto"
import { signingBody, transactionBody } from "../load/request.ts"
import type { Target } from "../load/target.ts"
import { largeCall, unsignedCall } from "../transactions/samples.ts"
import { RARE_TYPE } from "./history.ts"
import { ANSWER_MS, type Receivers, SLOW_ENDPOINTS } from "./receivers.ts"

/** Requests of a flood, each as the path and the body of an HTTP request. */
export type Flood = {
  /** For reports. */
  name: string
  /** A closed loop on this many connections, or this many requests a second, whether or not earlier ones were answered. */
  pace: { connections: number } | { perSecond: number }
  /** Most requests to stamp before the flood begins, so that stamping takes no CPU from the service. */
  stampedAhead: number
  /** True if a request may be sent again. A submitted body that completed would only be looked up. */
  isRepeatable: boolean
  /** The organization's receivers of notifications; absent: it has no endpoint. */
  receivers?: Receivers
  make(target: Target, index: number): { path: string; body: string }
}

const ACCOUNTS = 1_000
const calldata = largeCall()
const MEMBERS = 84_000
const unknownMembers = Array.from({ length: MEMBERS }, (_, index) => `"m${index}":0`).join()
const accounts = Array.from({ length: ACCOUNTS }, (_, index) => ({
  curve: "CURVE_SECP256K1",
  pathFormat: "PATH_FORMAT_BIP32",
  path: `m/44'/60'/0'/0/${index}`,
  addressFormat: "ADDRESS_FORMAT_ETHEREUM",
}))

/** Filters of list_activities: no activity has the first, few have the others (see history.ts). */
export const listFilters = [
  { filterByStatus: ["ACTIVITY_STATUS_CONSENSUS_NEEDED"] },
  { filterByStatus: ["ACTIVITY_STATUS_FAILED"] },
  { filterByType: [RARE_TYPE] },
  { filterByStatus: ["ACTIVITY_STATUS_FAILED"], filterByType: ["ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2"] },
] as const

export const floods = {
  wallets: {
    name: "wallets of 1,000 accounts on 4 connections",
    pace: { connections: 4 },
    stampedAhead: 100,
    isRepeatable: false,
    make({ organizationId }) {
      const timestampMs = String(Date.now())
      const parameters = { walletName: randomBytes(16).toString("hex"), accounts }
      const type = "ACTIVITY_TYPE_CREATE_WALLET"
      const body = JSON.stringify({ type, timestampMs, organizationId, parameters })
      return { path: "submit/create_wallet", body }
    },
  },
  members: {
    name: "bodies of 84,000 members on 4 connections",
    pace: { connections: 4 },
    stampedAhead: 32,
    isRepeatable: true,
    make(target) {
      return {
        path: "submit/sign_raw_payload",
        body: signingBody(target).replace("{", `{${unknownMembers},`),
      }
    },
  },
  lists: {
    name: "16 filtered lists of activities",
    pace: { connections: 16 },
    stampedAhead: listFilters.length,
    isRepeatable: true,
    make: (target, index) => list(target, listFilters[index % listFilters.length]),
  },
  requests: {
    name: "2,000 requests a second offered",
    pace: { perSecond: 2_000 },
    stampedAhead: 30_000,
    isRepeatable: false,
    make: signature,
  },
  slowReceivers: {
    name: `20 signatures a second, notified to ${SLOW_ENDPOINTS} receivers that answer after ${ANSWER_MS / 1000} s`,
    pace: { perSecond: 20 },
    stampedAhead: 1_000,
    isRepeatable: false,
    receivers: "slow",
    make: signature,
  },
  outage: {
    name: "20 signatures a second, while an hour's notifications are delivered after an outage",
    pace: { perSecond: 20 },
    stampedAhead: 1_000,
    isRepeatable: false,
    receivers: "after an outage",
    make: signature,
  },
  transactions: {
    name: "transactions with 128 kB of calldata on 4 connections",
    pace: { connections: 4 },
    stampedAhead: 64,
    isRepeatable: false,
    make(target, index) {
      return { path: "submit/sign_transaction", body: transactionBody(target, unsignedCall(calldata, index)) }
    },
  },
  largeLists: {
    name: "16 lists of such transactions",
    pace: { connections: 16 },
    stampedAhead: 1,
    isRepeatable: true,
    make: (target) => list(target, { filterByType: ["ACTIVITY_TYPE_SIGN_TRANSACTION_V2"] }),
  },
} as const satisfies Record<string, Flood>

function list({ organizationId }: Target, filter: object | undefined) {
  const paginationOptions = { limit: "100" }
  const body = JSON.stringify({ organizationId, ...filter, paginationOptions })
  return { path: "query/list_activities", body }
}

function signature(target: Target) {
  return { path: "submit/sign_raw_payload", body: signingBody(target) }
}

export type FloodKind = keyof typeof floods
export const floodKinds = Object.keys(floods) as FloodKind[]
