import { randomBytes } from "node:crypto"
import { fromBinary } from "@bufbuild/protobuf"
import { HeadStatementSchema } from "../../proto/gen/countersign/signer/v1/signer_pb.ts"
import type { Organizations } from "./organizations.ts"
import type { Signer } from "./signer.ts"
import type { Database } from "./store/database.ts"
import { getOrganization } from "./store/organizations.ts"

/** What was found out a moment ago still holds: anybody may ask, and asking must stay cheap. */
const REMEMBERED_MS = 500
const PATIENCE_MS = 3000
const NOBODY = "00000000-0000-0000-0000-000000000000"

export type Readiness = { ready: boolean; database: string; signer: string; recovery: string }
export type ReadinessDeps = {
  sql: Database
  organizations: Organizations
  signer: Pick<Signer, "getPins" | "getOrganizationHead">
  /** Whether outcomes of before this start are stored. */
  isRecovered: () => boolean
}

/** Tells whether requests can be served: the database answers, and the signer signs. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  let known: { at: number; readiness: Promise<Readiness> } | undefined
  const forgetUnready = async (looking: NonNullable<typeof known>) => {
    const { ready } = await looking.readiness
    if (!ready && known === looking) known = undefined
  }
  return () => {
    if (known === undefined || performance.now() - known.at > REMEMBERED_MS) {
      const looking = { at: performance.now(), readiness: look(deps) }
      known = looking
      // A start is waited for: that something is not there yet is not worth remembering.
      void forgetUnready(looking)
    }
    return known.readiness
  }
}

async function look({ sql, organizations, signer, isRecovered }: ReadinessDeps): Promise<Readiness> {
  const [database, signing] = await Promise.all([
    tried(getOrganization(sql, NOBODY)),
    tried(probe(signer, organizations.latestId())),
  ])
  const recovery = isRecovered() ? "ok" : "under way"
  return {
    ready: [database, signing, recovery].every((part) => part === "ok"),
    database,
    signer: signing,
    recovery,
  }
}

/** A signature of the notarizer over a fresh nonce; before there is an organization, its public identity. */
async function probe(signer: ReadinessDeps["signer"], organizationId: string | undefined): Promise<void> {
  if (organizationId === undefined) return void (await signer.getPins())
  const nonce = randomBytes(16)
  const { statement } = await signer.getOrganizationHead(organizationId, nonce)
  if (!nonce.equals(fromBinary(HeadStatementSchema, statement).nonce))
    throw new Error("the nonce does not come back")
}

async function tried(attempt: Promise<unknown>): Promise<string> {
  const late = new Promise<never>((_, reject) => setTimeout(reject, PATIENCE_MS, new Error()).unref())
  try {
    await Promise.race([attempt, late])
    return "ok"
  } catch {
    return "no answer"
  }
}
