import { commandText } from "../../../signer/core/command-text.ts"
import { basename } from "node:path"
import { activityTypes } from "../../../proto/catalog.ts"
import { ReadFault, readMessage } from "../../../proto/read.ts"
import { closestName } from "../../../signer/core/closest-name.ts"
import { expand } from "../../organization-file/references.ts"
import { faultOfMessage, readFormFile, requireForm } from "../../terminal-client/files/form-file.ts"
import { isObject } from "../../terminal-client/json.ts"
import { type FileFault, readValueFile, type ValueFile } from "../../terminal-client/files/value-file.ts"
import {
  type PolicyFile,
  policyFile,
  type PolicyText,
  singlePolicy,
  type TestCase,
  type TestFile,
  testFile,
  type TestOrganization,
} from "./test-file.ts"

const GUIDE = "docs/policy-tests.md"

/** Members of a policy that are expressions. */
const EXPRESSIONS = ["condition", "consensus", "time"] as const
export type Expression = (typeof EXPRESSIONS)[number]

/** A file of policies, and the place of each expression. */
export type ReadPolicies = PolicyFile & { placeOf: (index: number, member: Expression) => string }

/** @throws {CliError} usage, with every fault of the file at once */
export async function readTestFile(file: string): Promise<Omit<TestFile, "cases"> & { cases: TestCase[] }> {
  const { data, refuse } = await readFormFile(testFile, file, GUIDE)
  const { cases, policies, organization } = data
  const read = cases.map(readActivity)
  const named = withIdsOf(organization, policies, pathInList)
  refuse([...read.flatMap(({ fault }) => fault ?? []), ...named.faults])
  return { ...data, policies: named.policies, cases: read.flatMap(({ one }) => one ?? []) }
}

/**
 * Reads a list of policies, or a single policy as `policy create --file` takes it. Names of the file's own organization
 * stand for ids; without an organization they stay.
 *
 * @throws {CliError} usage, with every fault of the file at once
 */
export async function readPolicyFile(file: string): Promise<ReadPolicies> {
  const source = await readValueFile(file, GUIDE)
  if (isSinglePolicy(source.value)) return readSingle(file, source)
  refuseOrganization(file, source)
  const data = requireForm(policyFile, source)
  const placeOf = (index: number, member: Expression) => source.placeOf(pathInList(index, member))
  if (data.organization === undefined) return { ...data, placeOf }
  const { policies, faults } = withIdsOf(data.organization, data.policies, pathInList)
  source.refuse(faults)
  return { ...data, policies, placeOf }
}

function pathInList(index: number, member: Expression): PropertyKey[] {
  return ["policies", index, member]
}

function isSinglePolicy(value: unknown): boolean {
  return isObject(value) && Object.hasOwn(value, "effect") && !Object.hasOwn(value, "policies")
}

/** A policy whose name is given elsewhere has that of its file. */
function readSingle(file: string, source: ValueFile): ReadPolicies {
  const { policyName = basename(file).replace(/\.[a-z]+$/i, ""), ...rest } = requireForm(singlePolicy, source)
  return { policies: [{ policyName, ...rest }], placeOf: (_index, member) => source.placeOf([member]) }
}

/** The file of an organization has policies too, and further names for them. */
function refuseOrganization(file: string, { value, refuse }: ValueFile): void {
  if (!isObject(value) || !Object.hasOwn(value, "version") || !Object.hasOwn(value, "policies")) return
  const sentence = `is of an organization's file: ${commandText`countersign config diff ${file}`} checks its policies`
  refuse([{ path: ["version"], sentence, atName: true }])
}

/** The policies with ids in place of names such as '@user:alice'; a fault for each unknown name. */
function withIdsOf<Policy extends PolicyText>(
  organization: TestOrganization,
  policies: readonly Policy[],
  pathOf: (index: number, member: Expression) => PropertyKey[],
): { policies: Policy[]; faults: FileFault[] } {
  const ids = idsOf(organization)
  const faults: FileFault[] = []
  const expanded = policies.map((policy, index) => ({
    ...policy,
    ...Object.fromEntries(
      EXPRESSIONS.flatMap((member) => {
        const written = policy[member]
        if (typeof written !== "string") return []
        const { text, missing } = expand(written, (kind, name) => ids.get(`@${kind}:${name}`))
        for (const reference of missing)
          faults.push({ path: pathOf(index, member), sentence: `has ${reference}, which stands for nothing` })
        return [[member, text]]
      }),
    ),
  }))
  return { policies: expanded, faults }
}

function idsOf({ users, tags }: TestOrganization): Map<string, string> {
  return new Map([
    ...users.map(({ userId, userName = userId }) => [`@user:${userName}`, userId] as const),
    ...tags.map(({ tagId, tagName, tagType }) => {
      const kind = tagType === "TAG_TYPE_USER" ? "tag" : "private-key-tag"
      return [`@${kind}:${tagName}`, tagId] as const
    }),
  ])
}

type ReadCase = { one?: TestCase; fault?: FileFault }

function readActivity({ activity, ...rest }: TestFile["cases"][number], index: number): ReadCase {
  const path = ["cases", index, "activity"]
  const entry = activityTypes.get(activity.type)
  if (entry === undefined) {
    const meant = closestName(activity.type, activityTypes.keys())
    const advice = meant === undefined ? "docs/api.md lists the types" : `did you mean ${meant}?`
    return {
      fault: { path: [...path, "type"], sentence: `is ${activity.type}, which does not exist; ${advice}` },
    }
  }
  try {
    const { message } = readMessage(entry.intentSchema, activity.parameters, "parameters")
    return { one: { ...rest, activity: entry, parameters: message } }
  } catch (fault) {
    if (!(fault instanceof ReadFault)) throw fault
    return { fault: faultOfMessage(fault, path) }
  }
}
