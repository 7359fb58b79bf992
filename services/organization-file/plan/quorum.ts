import { change, listText, planned, type Part, type PlanContext, Resolver, Stage } from "./change.ts"

/** The root quorum: last, and with warnings, because its members may do everything. */
export function planQuorum({ file, live, names }: PlanContext): Part {
  const { rootQuorum: wanted } = file
  if (wanted === undefined) return { activities: [] }
  const nameOf = (id: string) => live.users.find(({ userId }) => userId === id)?.userName ?? id
  const before = live.rootQuorum.userIds.map(nameOf)
  const joining = wanted.users.filter((name) => !before.includes(name))
  const leaving = before.filter((name) => !wanted.users.includes(name))
  const isSame = joining.length + leaving.length === 0 && live.rootQuorum.threshold === wanted.threshold
  if (isSame) return { activities: [] }
  const resolver = new Resolver(names)
  const userIds = resolver.ids("user", wanted.users)
  const members = [
    { member: "threshold", before: String(live.rootQuorum.threshold), after: String(wanted.threshold) },
    { member: "users", before: before.join(", "), after: wanted.users.join(", ") },
  ].filter((one) => one.before !== one.after)
  const words = change("update", "root quorum", "", {
    members,
    gained: joining.map(
      (name) => `${name} is a member: with ${wanted.threshold} of them everything is allowed`,
    ),
    lost: leaving.map((name) => `${name} is no member any more`),
    warnings: warningsOf(wanted, leaving, nameOf(live.callerId)),
  })
  const parameters = { threshold: wanted.threshold, userIds }
  return { activities: [planned("UPDATE_ROOT_QUORUM", Stage.quorum, words, parameters, resolver.missing)] }
}

function warningsOf(
  { threshold, users }: { threshold: number; users: readonly string[] },
  leaving: readonly string[],
  caller: string,
): string[] {
  const spare = users.length - threshold
  return [
    `afterwards ${threshold} of ${listText(users)} may do everything, without any policy`,
    ...(spare === 0 && users.length > 1
      ? ["if one of them loses their credentials, the root quorum can never act again"]
      : []),
    ...(leaving.includes(caller) ? [`${caller}, whose key applies the file, is no member afterwards`] : []),
  ]
}
