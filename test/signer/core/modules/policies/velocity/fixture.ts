import { create, fromJson } from "@bufbuild/protobuf"
import { type ActivityEntry, activityTypes } from "../../../../../../proto/catalog.ts"
import { TransactionType } from "../../../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import { OrganizationDocumentSchema } from "../../../../../../proto/gen/countersign/state/v1/document_pb.ts"
import {
  VelocityControlAggregationSchema,
  VelocityControlDataSourceSchema,
} from "../../../../../../proto/gen/countersign/api/v1/velocity_pb.ts"
import { Organization } from "../../../../../../signer/core/organization/organization.ts"
import { type FactsInput, factsOf } from "../../../../../../signer/core/policy/facts/index.ts"
import { readControls } from "../../../../../../signer/core/modules/policies/velocity/counting.ts"
import type { ControlReading } from "../../../../../../signer/core/policy/controls.ts"
import type { Transfer } from "../../../../../../signer/core/modules/policies/velocity/transfer.ts"
import {
  COUNTED_ROOTS,
  transfersOf,
} from "../../../../../../signer/core/modules/policies/velocity/transfers.ts"
import { aggregation } from "../../../../../harness/velocity.ts"
import { OWN } from "../../../transaction/bitcoin-judge.ts"

/** Address of the key that signs Bitcoin transactions. */
export const BITCOIN_SIGNER = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"

type Request = Pick<FactsInput, "activity" | "parameters" | "holdings">

const key = {
  curve: "CURVE_SECP256K1",
  publicKey: Buffer.from(OWN).toString("hex"),
  addresses: [{ format: "ADDRESS_FORMAT_BITCOIN_REGTEST_P2WPKH", address: BITCOIN_SIGNER }],
}

function entryOf(type: string): ActivityEntry {
  return activityTypes.get(`ACTIVITY_TYPE_${type}`)!
}

export function requestOf(type: string, parameters: object): Request {
  return { activity: entryOf(type), parameters: { ...parameters }, holdings: () => ({ key }) }
}

/** @param unsigned hexadecimal */
export function signing(type: keyof typeof TransactionType, unsigned: string, signWith = "x"): Request {
  return requestOf("SIGN_TRANSACTION_V2", {
    type: TransactionType[type],
    unsignedTransaction: unsigned,
    signWith,
  })
}

function itemsOf(request: Request) {
  const interfaces = { abi: () => undefined, idl: () => undefined }
  return factsOf({ ...request, interfaces }, COUNTED_ROOTS)
}

export function transfersBy(request: Request): Transfer[] {
  return transfersOf(itemsOf(request), () => [BITCOIN_SIGNER])
}

export type Setting = "absent" | "WITHOUT_LIMIT" | "REFUSED"
type Terms = Parameters<typeof aggregation>[0]

/** The reading of a control of these assets, which has counted nothing before. */
export function readingOf(
  request: Request,
  assets: readonly string[],
  setting: Setting = "absent",
  terms: Terms = {},
): ControlReading {
  const definition = assets.map((caip19) => ({ caip19, decimals: "6" }))
  const unknownAmount = `VELOCITY_CONTROL_UNKNOWN_AMOUNT_${setting}`
  const transfers = { definition, ...(setting !== "absent" && { unknownAmount }) }
  return readingBy(
    request,
    assets.length === 0 ? { activityExecution: {} } : { chainAssetTransfer: transfers },
    terms,
  )
}

function readingBy(request: Request, source: object, terms: Terms): ControlReading {
  const document = create(OrganizationDocumentSchema, {
    velocityControls: [
      {
        velocityControlId: "control",
        identifier: "spent",
        dataSource: fromJson(VelocityControlDataSourceSchema, source as never),
        aggregation: fromJson(VelocityControlAggregationSchema, aggregation(terms) as never),
      },
    ],
  })
  const organization = new Organization(document, new Uint8Array(32), 0)
  const counted = { ...request, items: itemsOf(request), submitterId: "dan" }
  const [reading] = readControls(organization, counted, () => [], 0)
  return reading!
}
