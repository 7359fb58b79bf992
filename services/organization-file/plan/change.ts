import { activityTypes } from "../../../proto/catalog.ts"
import { canonicalJson } from "../../terminal-client/json.ts"
import type { OrganizationFile } from "../file.ts"
import type { LiveOrganization } from "../live.ts"
import { type ReferenceKind, type Names, namesOfLive } from "../references.ts"

/** One object that changes, in words. */
export type PlannedChange = {
  action: "create" | "update" | "replace" | "delete"
  /** Kind of the object, such as `user tag`, and its name. */
  kind: string
  name: string
  /** Rights and objects that the change adds, and those that it takes away. */
  gained: string[]
  lost: string[]
  /** Members with their values before and after. */
  members: { member: string; before: string; after: string }[]
  warnings: string[]
}

/**
 * Order in which activities are sent: each stage begins once the one before it is complete. Creations and changes come first,
 * then deletions, then IP allowlists, then the root quorum, by which the user who applies may lose their rights. Only its former members are
 * deleted after it.
 */
export const Stage = { change: 1, remove: 2, access: 3, quorum: 4, formerMembers: 5 } as const
export type Stage = (typeof Stage)[keyof typeof Stage]

/** One activity of the plan. */
export type PlannedActivity = {
  stage: Stage
  type: string
  path: string
  changes: PlannedChange[]
  /** Undefined: it needs what an earlier activity of the plan creates. */
  parameters: object | undefined
  /** References to what has to be created first. */
  needs: string[]
  /** Members that differ each time they are sealed, and digests of their secrets by which they are recognized. */
  sealed?: readonly { member: string; digest: string }[]
  /** Secrets that the command has to be given. */
  lacking?: readonly NeededSecret[]
}

/** Options of `config apply` that give a secret to an object of the file. */
export const SECRET_OPTIONS = ["client-secret", "on-ramp-secret", "on-ramp-private-key"] as const
export type SecretOption = (typeof SECRET_OPTIONS)[number]

/** A secret that an activity needs: the option that gives it, and the object's name. */
export type NeededSecret = { option: SecretOption; name: string }

/** Sealed secrets by `secretKey`. */
export type Secrets = ReadonlyMap<string, { text: string; digest: string }>

export type PlanContext = {
  file: OrganizationFile
  live: LiveOrganization
  names: Names
  /** True if objects are deleted that the file does not have. */
  prune: boolean
  secrets: Secrets
}

export type Part = {
  activities: PlannedActivity[]
  /** Sentences about what stays: objects that only --prune deletes, and what no activity can bring about. */
  kept?: string[]
  byHand?: string[]
}

export function contextOf(
  file: OrganizationFile,
  live: LiveOrganization,
  prune: boolean,
  secrets: Secrets,
): PlanContext {
  return { file, live, names: namesOfLive(live), prune, secrets }
}

export function change(
  action: PlannedChange["action"],
  kind: string,
  name: string,
  more: Partial<Pick<PlannedChange, "gained" | "lost" | "members" | "warnings">> = {},
): PlannedChange {
  return { action, kind, name, gained: [], lost: [], members: [], warnings: [], ...more }
}

/** An activity whose parameters are known, or cannot be yet. @param type without prefix */
export function planned(
  type: string,
  stage: Stage,
  changes: PlannedChange | readonly PlannedChange[],
  parameters: object | undefined,
  needs: readonly string[] = [],
): PlannedActivity {
  const whole = `ACTIVITY_TYPE_${type}`
  const path = activityTypes.get(whole)?.path
  if (path === undefined) throw new TypeError(`there is no ${whole}`)
  const isReady = needs.length === 0
  return {
    stage,
    type: whole,
    path,
    changes: [changes].flat(),
    parameters: isReady ? parameters : undefined,
    needs: [...needs],
  }
}

/** Resolves references and notes those that name nothing yet. */
export class Resolver {
  readonly missing: string[] = []
  readonly #names: Names

  constructor(names: Names) {
    this.#names = names
  }

  readonly id = (kind: ReferenceKind, name: string): string | undefined => {
    const id = this.#names.idOf(kind, name)
    if (id === undefined) this.missing.push(`@${kind}:${name}`)
    return id
  }

  ids(kind: ReferenceKind, names: readonly string[]): string[] {
    return names.flatMap((name) => this.id(kind, name) ?? [])
  }
}

/** Groups of at most `size` items: the longest list that one activity takes. */
export function chunks<Item>(items: readonly Item[], size = 100): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  )
}

/** Members that differ, as texts. */
export function differing(pairs: {
  [member: string]: readonly [before: unknown, after: unknown]
}): PlannedChange["members"] {
  return Object.entries(pairs)
    .map(([member, [before, after]]) => ({ member, before: textOf(before), after: textOf(after) }))
    .filter(({ before, after }) => before !== after)
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ""
  return typeof value === "string" ? value.trim() : canonicalJson(value)
}

/** `a, b and c`. */
export function listText(words: readonly string[]): string {
  if (words.length < 2) return words.join("")
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`
}
