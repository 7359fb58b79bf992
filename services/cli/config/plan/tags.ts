import { change, chunks, planned, type Part, type PlanContext, Stage } from "./change.ts"

/** User tags by name. Their members are planned with the users. */
export function planTags({ file, live, prune }: PlanContext): Part {
  if (file.userTags === undefined) return { activities: [] }
  const wanted = new Set(file.userTags)
  const there = live.tags.filter(({ tagType }) => tagType === "TAG_TYPE_USER")
  const known = new Set(there.map(({ tagName }) => tagName))
  const created = [...wanted]
    .filter((name) => !known.has(name))
    .map((userTagName) =>
      planned("CREATE_USER_TAG", Stage.change, [change("create", "user tag", userTagName)], {
        userTagName,
        userIds: [],
      }),
    )
  const extra = there.filter(({ tagName }) => !wanted.has(tagName))
  if (!prune) return { activities: created, kept: extra.map(({ tagName }) => `user tag ${tagName}`) }
  const deleted = chunks(extra).map((tags) =>
    planned(
      "DELETE_USER_TAGS",
      Stage.remove,
      tags.map(({ tagId, tagName }) => {
        const holders = live.users.filter(({ userTags }) => userTags.includes(tagId))
        const lost = holders.map(({ userName }) => `user ${userName} no longer has the tag`)
        return change("delete", "user tag", tagName, { lost })
      }),
      { userTagIds: tags.map(({ tagId }) => tagId) },
    ),
  )
  return { activities: [...created, ...deleted] }
}
