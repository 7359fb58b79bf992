// The words of a request: what approvers see of it, in terminal, browser and receipt alike.
import type { Interfaces } from "../contract-interface/interfaces.ts"

/** A line of a description. */
export type DescriptionLine = {
  readonly name: string
  /** The value in one line. Text from other parties is in quotes, names from them are in brackets. */
  readonly value: string
  /** Lines of a longer text, to be set apart from the lines of the description. `value` is then empty. */
  readonly text?: readonly string[]
}

/** A member of the request. `path`: as faults name it, without `parameters.`. */
export type MemberFact = DescriptionLine & { readonly path: string }

/** Content that a request signs or sends: a transaction, a message, typed data. */
export type Content = {
  readonly title: string
  /** The content in few words, for sentences and lists. */
  readonly summary: string
  readonly facts: readonly DescriptionLine[]
  /** Sentences that a person must read before they approve. */
  readonly warnings: readonly string[]
}

/** The name of an id or address, from the caller's source; undefined: it has none. The request has the id alone. */
export type NameOf = (id: string) => string | undefined

export type WordsContext = {
  readonly nameOf: NameOf
  /** Interfaces of the organization's contracts. */
  readonly interfaces: Interfaces
  /** True if the organization's signed document has these interfaces; false: the API states them. */
  readonly hasSignedInterfaces: boolean
}

export type Words = {
  /** The kind of the activity: "Create wallet". */
  readonly title: string
  readonly sentence: string
  /** The sentence for a list. A digest at its end stands for what it leaves out. */
  readonly line: string
  readonly contents: readonly Content[]
  /** Every member that the signer uses. */
  readonly members: readonly MemberFact[]
  /** Paths of members that the signer ignores. Their names are the requester's: a path that could be taken for more is in quotes. */
  readonly ignored: readonly string[]
}
