// An activity as replies of the API show it: what the command line and the dashboard read.

/** RFC 3339, or an object for published clients. */
export type Time = string | { seconds: string; nanos: string }

export type AppProof = { scheme: string; publicKey: string; proofPayload: string; signature: string }

export type Vote = {
  id: string
  userId: string
  user?: { userId: string; userName: string }
  selection: string
  message: string
  publicKey: string
  signature: string
  scheme: string
  createdAt: Time
}

type Members = { readonly [member: string]: unknown }

/** The members of an activity that every command reads. */
export type ActivityJson = {
  id: string
  organizationId: string
  status: string
  fingerprint: string
  result: Record<string, unknown>
  failure?: { message?: string } | null
}

/** An activity with all its members. */
export type WholeActivityJson = ActivityJson & {
  type: string
  intent: { [member: string]: Members }
  result: { [member: string]: Members }
  votes: Vote[]
  appProofs?: AppProof[]
  canApprove: boolean
  canReject: boolean
  createdAt: Time
  updatedAt: Time
  failure?: { message?: string; details?: Members[] } | null
}
