import type { FilePrivateKeyTag } from "../file-access.ts"
import type { LiveTag } from "../live.ts"
import {
  change,
  chunks,
  planned,
  type Part,
  type PlanContext,
  type PlannedActivity,
  Resolver,
  Stage,
} from "./change.ts"
import { planSection } from "./section.ts"
import type { UserPair } from "./user-pair.ts"

/** User tags by name. Their members are planned with the users. */
export function planTags({ file, live, prune }: PlanContext): Part {
  const kind = "user tag"
  return planSection(
    {
      kind,
      wanted: file.userTags && [...new Set(file.userTags)].map((tagName) => ({ tagName })),
      there: live.tags.filter(({ tagType }) => tagType === "TAG_TYPE_USER"),
      nameOf: ({ tagName }) => tagName,
      create: ({ tagName: userTagName }) =>
        planned("CREATE_USER_TAG", Stage.change, change("create", kind, userTagName), {
          userTagName,
          userIds: [],
        }),
      effectOf: ({ tagId }) => ({
        lost: live.users
          .filter(({ userTags }) => userTags.includes(tagId))
          .map(({ userName }) => `user ${userName} no longer has the tag`),
      }),
      removeAll: (extra, wordsOf) =>
        chunks(extra).map((tags) => {
          const userTagIds = tags.map(({ tagId }) => tagId)
          return planned("DELETE_USER_TAGS", Stage.remove, tags.map(wordsOf), { userTagIds })
        }),
    },
    prune,
  )
}

/** Tags that existing users get or lose: one activity for each tag. */
export function planMembership(pairs: readonly UserPair[], { live, names }: PlanContext): PlannedActivity[] {
  const tagNames = new Map(live.tags.map(({ tagId, tagName }) => [tagId, tagName]))
  const moves = pairs.flatMap(({ user, found }) => {
    if (found === undefined || user.userTags === undefined) return []
    const had = new Set(found.userTags.map((id) => tagNames.get(id) ?? id))
    const has = new Set(user.userTags)
    const by = { userName: user.userName, userId: found.userId }
    return [
      ...[...has].filter((tag) => !had.has(tag)).map((tag) => ({ ...by, tag, isAdded: true })),
      ...[...had].filter((tag) => !has.has(tag)).map((tag) => ({ ...by, tag, isAdded: false })),
    ]
  })
  return [...Map.groupBy(moves, ({ tag }) => tag)].map(([tag, ofTag]) => {
    const resolver = new Resolver(names)
    const userTagId = resolver.id("tag", tag)
    const idsOf = (isAdded: boolean) =>
      ofTag.filter((move) => move.isAdded === isAdded).map(({ userId }) => userId)
    const changes = ofTag.map(({ userName, isAdded }) =>
      change("update", "user", userName, { [isAdded ? "gained" : "lost"]: [`the tag ${tag}`] }),
    )
    const parameters = { userTagId, addUserIds: idsOf(true), removeUserIds: idsOf(false) }
    return planned("UPDATE_USER_TAG", Stage.change, changes, parameters, resolver.missing)
  })
}

/** Longest list of keys that one activity tags; the next round tags the others. */
const MAX_KEYS = 1000

const KEY_TAG = "private key tag"

/** Tags of private keys by name, and the keys that have them. */
export function planPrivateKeyTags(context: PlanContext): Part {
  const { file, live, prune } = context
  return planSection(
    {
      kind: KEY_TAG,
      wanted: file.privateKeyTags?.map((tag) => ({ ...tag, tagName: tag.privateKeyTagName })),
      there: live.tags.filter(({ tagType }) => tagType === "TAG_TYPE_PRIVATE_KEY"),
      nameOf: ({ tagName }) => tagName,
      create: (tag) => createKeyTag(tag, context),
      update: (tag, before) => ({ activities: moveKeys(tag, before, context) }),
      effectOf: (tag) => ({ lost: lostBy(keysOf(tag, context)) }),
      removeAll: (extra, wordsOf) =>
        chunks(extra).map((tags) => {
          const privateKeyTagIds = tags.map(({ tagId }) => tagId)
          return planned("DELETE_PRIVATE_KEY_TAGS", Stage.remove, tags.map(wordsOf), { privateKeyTagIds })
        }),
    },
    prune,
  )
}

function createKeyTag(
  { privateKeyTagName, privateKeys = [] }: FilePrivateKeyTag,
  { names }: PlanContext,
): PlannedActivity {
  const resolver = new Resolver(names)
  const privateKeyIds = resolver.ids("private-key", privateKeys).slice(0, MAX_KEYS)
  const gained = privateKeys.map((name) => `private key ${name} has the tag`)
  const words = change("create", KEY_TAG, privateKeyTagName, { gained })
  const parameters = { privateKeyTagName, privateKeyIds }
  return planned("CREATE_PRIVATE_KEY_TAG", Stage.change, words, parameters, resolver.missing)
}

function moveKeys(
  { privateKeyTagName, privateKeys }: FilePrivateKeyTag,
  before: LiveTag,
  context: PlanContext,
): PlannedActivity[] {
  if (privateKeys === undefined) return []
  const resolver = new Resolver(context.names)
  const has = new Set(resolver.ids("private-key", privateKeys))
  const had = keysOf(before, context)
  const nameOf = (id: string) =>
    context.live.privateKeys.find(({ privateKeyId }) => privateKeyId === id)?.privateKeyName ?? id
  const addPrivateKeyIds = [...has]
    .filter((id) => !had.some(({ privateKeyId }) => privateKeyId === id))
    .slice(0, MAX_KEYS)
  const removed = had.filter(({ privateKeyId }) => !has.has(privateKeyId)).slice(0, MAX_KEYS)
  if (addPrivateKeyIds.length + removed.length === 0) return []
  const gained = addPrivateKeyIds.map((id) => `private key ${nameOf(id)} has the tag`)
  const words = change("update", KEY_TAG, privateKeyTagName, { gained, lost: lostBy(removed) })
  const removePrivateKeyIds = removed.map(({ privateKeyId }) => privateKeyId)
  const parameters = { privateKeyTagId: before.tagId, addPrivateKeyIds, removePrivateKeyIds }
  return [planned("UPDATE_PRIVATE_KEY_TAG", Stage.change, words, parameters, resolver.missing)]
}

function keysOf({ tagId }: LiveTag, { live }: PlanContext) {
  return live.privateKeys.filter(({ privateKeyTags }) => privateKeyTags.includes(tagId))
}

function lostBy(keys: readonly { privateKeyName: string }[]): string[] {
  return keys.map(({ privateKeyName }) => `private key ${privateKeyName} no longer has the tag`)
}
