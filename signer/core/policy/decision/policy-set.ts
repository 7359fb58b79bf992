import { EXPRESSION_KINDS, isFault } from "../../fault.ts"
import { Effect, FeatureName } from "../../../../proto/gen/countersign/api/v1/enums_pb.ts"
import type { Policy } from "../../../../proto/gen/countersign/state/v1/document_pb.ts"
import { featureOf, type Organization } from "../../organization/organization.ts"
import { RecentlyUsed } from "../../recently-used.ts"
import { runAtOnce, type Steps } from "../../turns/steps.ts"
import { type Compiled, compile, type Field } from "../expression.ts"
import { nodesOf } from "../language/checked.ts"
import type { Span } from "../language/fault.ts"
import { namespaces } from "../namespaces/index.ts"
import { formulaOf } from "./vote-formula.ts"

/** An expression of a policy. "absent": it holds. "broken": this release cannot compile it, so it is an error. */
export type CompiledExpression = Compiled | "absent" | "broken"

export type CompiledPolicy = {
  readonly policyId: string
  readonly effect: "allow" | "deny"
  readonly condition: CompiledExpression
  readonly consensus: CompiledExpression
  readonly time: CompiledExpression
}

/** The type of the root `controls`. */
const CONTROLS = namespaces.condition.roots["controls"]

export type PolicySet = {
  readonly policies: readonly CompiledPolicy[]
  /** Roots that conditions read; only these are built. */
  readonly roots: ReadonlySet<string>
  /** Identifiers of velocity controls that conditions read. */
  readonly controlsRead: ReadonlySet<string>
  /** A DENY in error denies: FEATURE_NAME_STRICT_DENY. */
  readonly isStrict: boolean
}

/**
 * Characters of policies, of all organizations, that are kept compiled. A compiled policy takes about a hundred times the bytes
 * of its text. Each of thousands of organizations may fill its policies to the limit.
 */
const MAX_KEPT_CHARACTERS = 2 * 1024 * 1024

/** Policies by organization. A version of an organization never changes. */
const sets = new RecentlyUsed<Organization, PolicySet>(MAX_KEPT_CHARACTERS)

/** Expressions by field and text: the next version of an organization has nearly the same ones. */
const expressions = new RecentlyUsed<string, Compiled>(MAX_KEPT_CHARACTERS / 2)

/** Weight of a policy or an expression beside its text, in characters. */
const OVERHEAD = 100

export function policiesOf(organization: Organization): PolicySet {
  return sets.get(organization) ?? runAtOnce(compilePolicies(organization))
}

/** True if the organization's policies are kept compiled. */
export function isCompiled(organization: Organization): boolean {
  return sets.get(organization) !== undefined
}

/** Compiles the conditions of the users' MFA policies, then the policies. Each step is one expression. */
export function* compileAll(organization: Organization): Steps<void> {
  for (const { condition } of organization.document.users.flatMap(({ mfaPolicies }) => mfaPolicies)) {
    compileExpression(condition, "condition")
    yield
  }
  yield* compilePolicies(organization)
}

function* compilePolicies(organization: Organization): Steps<PolicySet> {
  const policies: CompiledPolicy[] = []
  // The cache may drop an expression meanwhile, and equal ones of a set are one object: they are evaluated once.
  const own = new Map<string, CompiledExpression>()
  for (const policy of organization.document.policies) policies.push(yield* compilePolicy(policy, own))
  const roots = new Set(policies.flatMap(({ condition }) => rootsOf(condition)))
  const isStrict = featureOf(organization.document, FeatureName.STRICT_DENY) !== undefined
  const controlsRead = new Set(policies.flatMap(({ condition }) => [...controlsReadBy(condition).keys()]))
  const set = { policies, roots, controlsRead, isStrict }
  const weight = organization.document.policies.reduce((sum, policy) => sum + weightOf(policy), OVERHEAD)
  sets.set(organization, set, weight)
  return set
}

function weightOf({ condition = "", consensus = "", time = "" }: Policy): number {
  return OVERHEAD + condition.length + 2 * consensus.length + time.length
}

function* compilePolicy(policy: Policy, own: Map<string, CompiledExpression>): Steps<CompiledPolicy> {
  const compileOnce = (text: string | undefined, field: Field) => {
    const name = nameOf(text ?? "", field)
    const compiled = own.get(name) ?? compileExpression(text, field)
    own.set(name, compiled)
    return compiled
  }
  const condition = compileOnce(policy.condition, "condition")
  yield
  const consensus = compileOnce(policy.consensus, "consensus")
  // Compiles the conditions on single votes, which the first search would compile at once.
  if (typeof consensus !== "string") formulaOf(consensus)
  yield
  const time = compileOnce(policy.time, "time")
  yield
  // An effect that is not ALLOW must not allow.
  const effect = policy.effect === Effect.ALLOW ? "allow" : "deny"
  return { policyId: policy.policyId, effect, condition, consensus, time }
}

export function compileExpression(text: string | undefined, field: Field): CompiledExpression {
  if (text === undefined || text === "") return "absent"
  const name = nameOf(text, field)
  const known = expressions.get(name)
  if (known !== undefined) return known
  try {
    const compiled = compile(text, field)
    expressions.set(name, compiled, OVERHEAD + text.length)
    return compiled
  } catch (error) {
    if (isFault(error, ...EXPRESSION_KINDS)) return "broken"
    throw error
  }
}

function nameOf(text: string, field: Field): string {
  return `${field} ${text}`
}

export function rootsOf(expression: CompiledExpression): string[] {
  return typeof expression === "string" ? [] : [...expression.roots]
}

/** Identifiers of the velocity controls that a condition reads, each with its first place in the text. */
export function controlsReadBy(expression: CompiledExpression): ReadonlyMap<string, Span> {
  const read = new Map<string, Span>()
  if (typeof expression === "string" || !expression.roots.has("controls")) return read
  for (const node of nodesOf(expression.syntax))
    if (node.kind === "field" && node.of === CONTROLS && !read.has(node.name)) read.set(node.name, node)
  return read
}
