import { TagType } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Tag } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import type { PrivateKeyParams } from "../../../../proto/gen/countersign/api/v1/params_pb.ts"
import { wipingAfter } from "../../../core/crypto/secret.ts"
import { refuse } from "../../../core/refusal.ts"
import type { Steps } from "../../../core/turns/steps.ts"
import { createPrivateKey } from "../../keys/private-key.ts"
import { curveName } from "../../keys/wire.ts"
import { requireTags, tagPrivateKeys } from "../../organization/tags.ts"
import type { ActivityContext, LongActivity } from "../../activities/activity.ts"
import { type CreatedPrivateKey, requireFormats, storePrivateKey } from "./private-keys.ts"

const FIELD = "parameters.privateKeys"

/** Addresses of all keys of one request together. Each has rows in the ledger, and a proof where the request asks for proofs. */
const MAX_ADDRESSES = 4_000

const needs = ["random"] as const

export const createPrivateKeys: LongActivity<"createPrivateKeys", typeof needs> = {
  needs,
  *run({ privateKeys }, context) {
    const created = yield* createAll(privateKeys, context)
    return { privateKeyIds: created.map(({ privateKeyId }) => privateKeyId) }
  },
}

export const createPrivateKeysV2: LongActivity<"createPrivateKeys", typeof needs, "V2", "V2"> = {
  needs,
  *run({ privateKeys }, context) {
    return { privateKeys: yield* createAll(privateKeys, context) }
  },
}

/** Checks all parameters before the first key is generated. */
function* createAll(
  privateKeys: readonly PrivateKeyParams[],
  context: ActivityContext<typeof needs>,
): Steps<CreatedPrivateKey[]> {
  requireAddressCount(privateKeys)
  const keysOfTags = yield* readTags(privateKeys, context)
  const created: CreatedPrivateKey[] = []
  for (const [index, parameters] of privateKeys.entries()) {
    created.push(yield* createOne(parameters, `${FIELD}[${index}]`, context))
    yield
  }
  for (const [tag, indices] of keysOfTags) {
    const ids = indices.flatMap((index) => created[index]?.privateKeyId ?? [])
    tagPrivateKeys(context.organization, tag, ids, FIELD)
    yield
  }
  return created
}

/** The tags of all keys, each with the places of its keys, after checking tags and formats. */
function* readTags(
  privateKeys: readonly PrivateKeyParams[],
  { organization }: ActivityContext,
): Steps<Map<Tag, number[]>> {
  const keysOfTags = new Map<Tag, number[]>()
  for (const [index, parameters] of privateKeys.entries()) {
    const field = `${FIELD}[${index}]`
    requireFormats(parameters, field)
    const tagIds = parameters.privateKeyTags.map((id) => id.toLowerCase())
    for (const tag of requireTags(organization, TagType.PRIVATE_KEY, tagIds, `${field}.privateKeyTags`))
      if (keysOfTags.get(tag)?.push(index) === undefined) keysOfTags.set(tag, [index])
    yield
  }
  return keysOfTags
}

/** @throws LIMIT_EXCEEDED */
function requireAddressCount(privateKeys: readonly PrivateKeyParams[]): void {
  const count = privateKeys.reduce((sum, { addressFormats }) => sum + addressFormats.length, 0)
  if (count <= MAX_ADDRESSES) return
  const sentence = `the private keys have ${count} addresses; a request has at most ${MAX_ADDRESSES}`
  throw refuse("LIMIT_EXCEEDED", sentence, { field: FIELD })
}

/** Generates and stores a key. Its secret exists in clear only inside this function. */
function createOne(
  parameters: PrivateKeyParams,
  field: string,
  context: ActivityContext<typeof needs>,
): Steps<CreatedPrivateKey> {
  const { curve, secret } = createPrivateKey(curveName(parameters.curve), context.random)
  const created = { ...parameters, imported: false, key: { curve, secret } }
  return wipingAfter([secret], storePrivateKey(created, field, context))
}
