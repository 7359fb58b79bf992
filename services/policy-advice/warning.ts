import type { Span } from "../../signer/core/policy/language/fault.ts"

/** Something that its author probably does not intend. Never a reason to refuse. */
export type Warning = Span & { readonly sentence: string }

/** What the caller knows of the organization. More knowledge finds more mistakes. */
export type Known = {
  /** The policy's effect. */
  readonly effect?: "allow" | "deny"
  /** All ids and names that exist, by `refersTo` of their type, such as `user-id` or `activity-kind`. */
  readonly existing?: ReadonlyMap<string, ReadonlySet<string>>
  /** Texts that are no such id, each with a sentence: a tag's name in place of its id. */
  readonly mistaken?: ReadonlyMap<string, ReadonlyMap<string, string>>
}
