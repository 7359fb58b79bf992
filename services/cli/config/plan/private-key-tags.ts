import type { FilePrivateKeyTag } from "../file-access.ts"
import type { LiveTag } from "../live.ts"
import {
  change,
  chunks,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Resolver,
  Stage,
} from "./change.ts"

/** Longest list of keys that one activity tags; the next round tags the others. */
const MAX_KEYS = 1000

/** Tags of private keys by name, and the keys that have them. */
export function planPrivateKeyTags(context: PlanContext): Part {
  const { file, live, prune } = context
  const { privateKeyTags: wanted } = file
  if (wanted === undefined) return { activities: [] }
  const there = live.tags.filter(({ tagType }) => tagType === "TAG_TYPE_PRIVATE_KEY")
  const activities = wanted.flatMap((tag) => {
    const before = there.find(({ tagName }) => tagName === tag.privateKeyTagName)
    return before === undefined ? [creation(tag, context)] : membership(tag, before, context)
  })
  const extra = there.filter(
    ({ tagName }) => !wanted.some(({ privateKeyTagName }) => privateKeyTagName === tagName),
  )
  if (!prune) return { activities, kept: extra.map(({ tagName }) => `private key tag ${tagName}`) }
  const deleted = chunks(extra).map((tags) =>
    planned(
      "DELETE_PRIVATE_KEY_TAGS",
      Stage.remove,
      tags.map((tag) =>
        change("delete", "private key tag", tag.tagName, {
          lost: keysOf(tag, context).map(
            ({ privateKeyName }) => `private key ${privateKeyName} no longer has the tag`,
          ),
        }),
      ),
      { privateKeyTagIds: tags.map(({ tagId }) => tagId) },
    ),
  )
  return { activities: [...activities, ...deleted] }
}

function creation(
  { privateKeyTagName, privateKeys = [] }: FilePrivateKeyTag,
  { names }: PlanContext,
): PlannedActivity {
  const resolver = new Resolver(names)
  const privateKeyIds = resolver.ids("private-key", privateKeys).slice(0, MAX_KEYS)
  const gained = privateKeys.map((name) => `private key ${name} has the tag`)
  const words = change("create", "private key tag", privateKeyTagName, { gained })
  return planned(
    "CREATE_PRIVATE_KEY_TAG",
    Stage.change,
    [words],
    { privateKeyTagName, privateKeyIds },
    resolver.missing,
  )
}

function membership(
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
  const added = [...has]
    .filter((id) => !had.some(({ privateKeyId }) => privateKeyId === id))
    .slice(0, MAX_KEYS)
  const removed = had.filter(({ privateKeyId }) => !has.has(privateKeyId)).slice(0, MAX_KEYS)
  if (added.length + removed.length === 0) return []
  const words = change("update", "private key tag", privateKeyTagName, {
    gained: added.map((id) => `private key ${nameOf(id)} has the tag`),
    lost: removed.map(({ privateKeyName }) => `private key ${privateKeyName} no longer has the tag`),
  })
  const parameters = {
    privateKeyTagId: before.tagId,
    addPrivateKeyIds: added,
    removePrivateKeyIds: removed.map(({ privateKeyId }) => privateKeyId),
  }
  return [planned("UPDATE_PRIVATE_KEY_TAG", Stage.change, [words], parameters, resolver.missing)]
}

function keysOf({ tagId }: LiveTag, { live }: PlanContext) {
  return live.privateKeys.filter(({ privateKeyTags }) => privateKeyTags.includes(tagId))
}
