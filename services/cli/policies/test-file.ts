import { z } from "zod"
import type { ActivityEntry } from "../../../proto/catalog.ts"
import { TagType } from "../../../proto/gen/countersign/api/v1/enums_pb.ts"

const outcome = z.enum([
  "OUTCOME_ALLOW",
  "OUTCOME_DENY_EXPLICIT",
  "OUTCOME_DENY_IMPLICIT",
  "OUTCOME_REQUIRES_CONSENSUS",
])

const policyOutcome = z.enum([...outcome.options, "OUTCOME_ERROR", "OUTCOME_TIME_INACTIVE"])

const policy = z.strictObject({
  policyName: z.string().min(1),
  effect: z.enum(["EFFECT_ALLOW", "EFFECT_DENY"]),
  condition: z.string().nullish(),
  consensus: z.string().nullish(),
  time: z.string().nullish(),
  notes: z.string().nullish(),
})

/** A policy as list_policies and get_policy show it. */
const shownPolicy = policy.extend({
  policyId: z.string().optional(),
  createdAt: z.unknown().optional(),
  updatedAt: z.unknown().optional(),
})

/** A policy alone, as `policy create --file` takes it. */
export const singlePolicy = shownPolicy.extend({ policyName: z.string().min(1).optional() })

const user = z.strictObject({
  userId: z.string().min(1),
  userName: z.string().optional(),
  userEmail: z.string().optional(),
  userTags: z.array(z.string()).default([]),
  credentialTypes: z.array(z.string()).min(1).default(["CREDENTIAL_TYPE_API_KEY_P256"]),
})

const tag = z.strictObject({
  tagId: z.string().min(1),
  tagName: z.string(),
  tagType: z.enum(["TAG_TYPE_USER", "TAG_TYPE_PRIVATE_KEY"]).default("TAG_TYPE_USER"),
})

const organization = z.strictObject({
  users: z.array(user).min(1),
  tags: z.array(tag).default([]),
  rootQuorum: z.strictObject({ threshold: z.number().int().min(1), userIds: z.array(z.string()) }),
  strictDeny: z.boolean().default(false),
  velocityControls: z.array(z.record(z.string(), z.unknown())).default([]),
})

const wallet = z.strictObject({
  id: z.string(),
  label: z.string().default(""),
  imported: z.boolean().default(false),
  exported: z.boolean().default(false),
})

const decimal = z.string().regex(/^(?:0|[1-9][0-9]*)$/, { error: "must be decimal digits" })

/** Values that a send takes from its chain. */
const chain = z.strictObject({
  nonce: decimal.optional(),
  gasLimit: decimal.optional(),
  maxFeePerGas: decimal.optional(),
  maxPriorityFeePerGas: decimal.optional(),
  isDelegated: z.boolean().default(true),
  recentBlockhash: z.string().default(""),
})

const uses = z.strictObject({
  wallet: wallet.optional(),
  wallets: z.array(wallet).optional(),
  walletAccount: z
    .strictObject({
      address: z.string(),
      path: z.array(z.strictObject({ index: z.number().int().min(0), hardened: z.boolean() })).optional(),
    })
    .optional(),
  privateKey: wallet.extend({ tags: z.array(z.string()).default([]) }).optional(),
  key: z
    .strictObject({
      curve: z.enum(["CURVE_SECP256K1", "CURVE_ED25519", "CURVE_P256"]),
      publicKey: z.string().regex(/^(?:[0-9a-f]{64}|0[23][0-9a-f]{64}|04[0-9a-f]{128})$/),
      addresses: z.array(z.strictObject({ format: z.string(), address: z.string() })).default([]),
    })
    .optional(),
  chain: chain.prefault({}),
})

const contractInterface = z.strictObject({
  smartContractAddress: z.string(),
  type: z.enum(["SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM", "SMART_CONTRACT_INTERFACE_TYPE_SOLANA"]),
  smartContractInterface: z.union([z.string(), z.array(z.unknown()), z.looseObject({})]),
})

const voter = z.union(
  [
    z
      .string()
      .min(1)
      .transform((userId): Voter => ({ userId })),
    z.strictObject({ userId: z.string().min(1), credentialType: z.string().optional() }),
  ],
  { error: "must be a user's id, or an object with userId and credentialType" },
)

type Voter = { userId: string; credentialType?: string | undefined }

const testCase = z.strictObject({
  name: z.string().min(1),
  activity: z.strictObject({ type: z.string(), parameters: z.record(z.string(), z.unknown()) }),
  uses: uses.prefault({}),
  counted: z
    .record(
      z.string(),
      z.string().regex(/^[0-9]+(?:\.[0-9]{1,18})?$/, { error: "must be a decimal number such as 0.5" }),
    )
    .default({}),
  submitter: voter,
  approvers: z.array(voter).default([]),
  time: z.iso
    .datetime({ offset: true, error: "must be a time of RFC 3339 such as 2026-01-05T09:00:00Z" })
    .optional(),
  expect: z.union(
    [
      outcome.transform((only) => ({ outcome: only, policies: {} })),
      z.strictObject({ outcome, policies: z.record(z.string(), policyOutcome).default({}) }),
    ],
    { error: `must be one of ${outcome.options.join(", ")}, or {"outcome": one of them, "policies": {...}}` },
  ),
})

/** A file for `policy check`: policies and their organization; a reply of list_policies, or a test file. */
export const policyFile = z.strictObject({
  $schema: z.string().optional(),
  organization: organization.optional(),
  policies: z.array(shownPolicy).min(1),
  interfaces: z.unknown().optional(),
  cases: z.unknown().optional(),
})

/** A test file, specified in docs/policy-tests.md. */
export const testFile = z.strictObject({
  $schema: z.string().optional(),
  organization,
  policies: z.array(policy),
  interfaces: z.array(contractInterface).default([]),
  cases: z.array(testCase).min(1),
})

export type PolicyText = z.output<typeof policy>
export type TestOrganization = z.output<typeof organization>
export type PolicyFile = z.output<typeof policyFile>
export type TestFile = z.output<typeof testFile>
export type ContractInterface = z.output<typeof contractInterface>
export type Uses = z.output<typeof uses>

/** A case, with its activity's parameters read by the rules of its type. */
export type TestCase = Omit<z.output<typeof testCase>, "activity"> & {
  activity: ActivityEntry
  parameters: { readonly [name: string]: unknown }
}

/** The type of a tag, as documents keep it. */
export function tagTypeOf({ tagType }: TestOrganization["tags"][number]): TagType {
  return tagType === "TAG_TYPE_USER" ? TagType.USER : TagType.PRIVATE_KEY
}
