// The shape of an import rule, and names that many rules use.

export type Rule = {
  /** Rooms it may import from besides itself. */
  rooms: readonly string[]
  /** Packages by name; a subpath must be named whole where only that one is meant. */
  packages?: readonly string[]
  /** Node's own modules, without prefix; "any" where the room stands at the edge of the process. */
  builtins?: readonly string[] | "any"
  /** No clock, environment, network, timers, chance or log: only its arguments. */
  pure?: true
}

/** Import rules by room. */
export type Rules = { readonly [room: string]: Rule }

export const PROTOBUF = "@bufbuild/protobuf"
export const GRPC = "@grpc/grpc-js"
export const STATE = "proto/gen/countersign/state"
export const API_TYPES = "proto/gen/countersign/api"
export const SIGNER_TYPES = "proto/gen/countersign/signer"
export const REFUSAL = "signer/core/refusal.ts"
/** What readers of input throw, and its refusals. */
export const FAULT = "signer/core/fault.ts"
export const FAULT_REFUSALS = "signer/core/fault-refusals.ts"
/** Names of OIDC identities, as credentials are looked up by them. */
export const IDENTITY = "signer/core/oidc/identity.ts"

/** Numbers with their nouns: any room may write a sentence with one. */
export const ANYWHERE: readonly string[] = ["signer/core/counted.ts"]

/** For rooms at the edge of a process. */
export const EDGE = { builtins: "any" } as const
