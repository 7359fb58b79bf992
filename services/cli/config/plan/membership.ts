import { change, planned, type PlannedActivity, type PlanContext, Resolver, Stage } from "./change.ts"
import type { UserPair } from "./user-pair.ts"

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
      change(
        "update",
        "user",
        userName,
        isAdded ? { gained: [`the tag ${tag}`] } : { lost: [`the tag ${tag}`] },
      ),
    )
    const parameters = { userTagId, addUserIds: idsOf(true), removeUserIds: idsOf(false) }
    return planned("UPDATE_USER_TAG", Stage.change, changes, parameters, resolver.missing)
  })
}
