import { canonicalJson } from "../../canonical-json.ts"
import type { FileInterface, FileSessionProfile, FileVelocityControl } from "../file.ts"
import { contract, expand } from "../references.ts"
import {
  change,
  differing,
  planned,
  type PlannedActivity,
  type Part,
  type PlanContext,
  Resolver,
  Stage,
} from "./change.ts"

/** Objects that no activity changes: one that differs is deleted and created again, with --prune. */
type Unchanging<Wanted, There> = {
  kind: string
  wanted: readonly Wanted[] | undefined
  there: readonly There[]
  nameOf: (wanted: Wanted) => string
  nameOfThere: (there: There) => string
  differs: (wanted: Wanted, there: There) => boolean
  create: (wanted: Wanted, words: ReturnType<typeof change>) => PlannedActivity
  remove: (there: There, words: ReturnType<typeof change>) => PlannedActivity
}

export function planObjects(context: PlanContext): Part {
  const parts = [sessionProfiles(context), velocityControls(context), interfaces(context)]
  return {
    activities: parts.flatMap(({ activities }) => activities),
    kept: parts.flatMap(({ kept = [] }) => kept),
  }
}

function plan<Wanted, There>(all: Unchanging<Wanted, There>, prune: boolean): Part {
  const { kind, wanted, there, nameOf, nameOfThere, differs, create, remove } = all
  if (wanted === undefined) return { activities: [] }
  const kept: string[] = []
  const activities = wanted.flatMap((one) => {
    const name = nameOf(one)
    const before = there.find((other) => nameOfThere(other) === name)
    if (before === undefined) return [create(one, change("create", kind, name))]
    if (!differs(one, before)) return []
    if (prune) {
      const lost = ["the object of this name: it cannot be changed, so it is deleted and created again"]
      return [{ ...remove(before, change("replace", kind, name, { lost })), stage: Stage.change }]
    }
    kept.push(`${kind} ${name} as it is: it cannot be changed; --prune deletes it and creates it again`)
    return []
  })
  const extra = there.filter((one) => !wanted.some((other) => nameOf(other) === nameOfThere(one)))
  if (!prune) return { activities, kept: [...kept, ...extra.map((one) => `${kind} ${nameOfThere(one)}`)] }
  const deleted = extra.map((one) => remove(one, change("delete", kind, nameOfThere(one))))
  return { activities: [...activities, ...deleted], kept }
}

function sessionProfiles({ file, live, names, prune }: PlanContext): Part {
  const scopeOf = ({ scope }: FileSessionProfile) => {
    const resolver = new Resolver(names)
    return { scope: expand(scope, resolver.id).text, missing: resolver.missing }
  }
  return plan(
    {
      kind: "session profile",
      wanted: file.sessionProfiles,
      there: live.sessionProfiles,
      nameOf: ({ sessionProfileName }) => sessionProfileName,
      nameOfThere: ({ sessionProfileName }) => sessionProfileName,
      differs: (wanted, there) =>
        differing({
          scope: [contract(there.scope, names), contract(scopeOf(wanted).scope, names)],
          expirationSeconds: [there.expirationSeconds, wanted.expirationSeconds],
          notes: [there.notes, wanted.notes],
        }).length > 0,
      create(wanted, words) {
        const { sessionProfileName, expirationSeconds, notes } = wanted
        const { scope, missing } = scopeOf(wanted)
        const parameters = {
          sessionProfileName,
          scope,
          ...(expirationSeconds && { expirationSeconds }),
          notes,
        }
        const gained = [`sessions with this scope: ${wanted.scope}`]
        return planned("CREATE_SESSION_PROFILE", Stage.change, [{ ...words, gained }], parameters, missing)
      },
      remove: ({ sessionProfileId }, words) =>
        planned("DELETE_SESSION_PROFILE", Stage.remove, [words], { sessionProfileId }),
    },
    prune,
  )
}

function velocityControls({ file, live, prune }: PlanContext): Part {
  return plan(
    {
      kind: "velocity control",
      wanted: file.velocityControls,
      there: live.velocityControls,
      nameOf: ({ identifier }: FileVelocityControl) => identifier,
      nameOfThere: ({ identifier }) => identifier,
      differs: ({ name, dataSource, aggregation }, there) =>
        canonicalJson([name, dataSource, aggregation]) !==
        canonicalJson([there.name, there.dataSource, there.aggregation]),
      create: (parameters, words) => planned("CREATE_VELOCITY_CONTROL", Stage.change, [words], parameters),
      remove: ({ velocityControlId }, words) =>
        planned("DELETE_VELOCITY_CONTROL", Stage.remove, [words], { velocityControlId }),
    },
    prune,
  )
}

function interfaces({ file, live, prune }: PlanContext): Part {
  return plan(
    {
      kind: "smart contract interface",
      wanted: file.smartContractInterfaces,
      there: live.interfaces,
      // Addresses of Ethereum have several spellings, those of Solana one.
      nameOf: ({ smartContractAddress }: FileInterface) => spelling(smartContractAddress),
      nameOfThere: ({ smartContractAddress }) => spelling(smartContractAddress),
      differs: (wanted, there) =>
        wanted.smartContractInterface !== there.smartContractInterface ||
        wanted.label !== there.label ||
        wanted.type !== there.type ||
        wanted.notes !== there.notes,
      create: (parameters, words) =>
        planned(
          "CREATE_SMART_CONTRACT_INTERFACE",
          Stage.change,
          [{ ...words, gained: ["policies can read the calls of this contract"] }],
          parameters,
        ),
      remove: ({ smartContractInterfaceId }, words) =>
        planned(
          "DELETE_SMART_CONTRACT_INTERFACE",
          Stage.remove,
          [{ ...words, lost: [...words.lost, "policies cannot read the calls of this contract"] }],
          { smartContractInterfaceId },
        ),
    },
    prune,
  )
}

function spelling(address: string): string {
  return /^0x/i.test(address) ? address.toLowerCase() : address
}
