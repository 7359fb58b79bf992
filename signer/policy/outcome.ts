import type { Outcome } from "../../proto/gen/countersign/api/v1/enums_pb.ts"

/** What one policy came to, as it is told and kept. */
export type PolicyOutcome = { readonly policyId: string; readonly outcome: Outcome }
