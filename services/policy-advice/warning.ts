import type { Voters } from "../../signer/core/policy/decision/voters.ts"
import type { Budget } from "../../signer/core/policy/language/frame.ts"
import type { Span } from "../../signer/core/policy/language/fault.ts"

/** A part of an expression that its author probably does not intend. Never a reason to refuse. */
export type Warning = Span & { readonly sentence: string }

/** Names of the organization with which expressions are checked. With more of them, more mistakes are found. */
export type OrganizationNames = {
  /** The policy's effect. */
  readonly effect?: "allow" | "deny"
  /** The expression is its policy's only one; absent: that is not known. */
  readonly isAlone?: boolean
  /** The organization has FEATURE_NAME_STRICT_DENY: a DENY in error denies. */
  readonly isStrict?: boolean
  /** The present, Unix milliseconds; absent: times are not looked at. */
  readonly nowMs?: number
  /** All ids and names that exist, by `refersTo` of their type, such as `user-id` or `activity-kind`. */
  readonly existing?: ReadonlyMap<string, ReadonlySet<string>>
  /** Measures searches for voters. Absent: the organization is not known. */
  readonly searches?: SearchMeasure
  /** Texts that are mistaken for an id, each with advice: a tag's name in place of its id. */
  readonly mistaken?: ReadonlyMap<string, ReadonlyMap<string, string>>
}

/** Users among whom voters are searched, and the steps of all searches of one piece of advice. */
export type SearchMeasure = { readonly voters: Voters; readonly budget: Budget }
