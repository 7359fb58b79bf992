// Sentences about a draft of a policy: how it would have decided the last activities.
import { useEffect, useState } from "preact/hooks"
import type { WholeActivityJson } from "../../../common/activity-json.ts"
import { query } from "../../api/client.ts"
import type { Policy } from "../../api/directory.ts"
import { Notice, Skeleton } from "../../ui/basics.tsx"
import { sentenceOfFault } from "../../words/faults.ts"
import { foretold } from "../../words/foretold.ts"
import { type Replay, replayAll } from "../policy-replay.tsx"

/** Activities that a draft is tried on: each costs two queries. */
export const TRIED = "12"

/** The sentences of replays. */
export function Sentences({ effect, replays }: { effect: string; replays: readonly Replay[] }) {
  const [first, ...others] = foretold(
    effect,
    replays.map((one) =>
      one.fault === undefined
        ? { before: one.before, after: one.after, policy: one.policy?.outcome }
        : { fault: one.fault },
    ),
  )
  return (
    <Notice>
      <p class="strong">{first}</p>
      {others.map((sentence) => (
        <p key={sentence}>{sentence}</p>
      ))}
    </Notice>
  )
}

/** Tries a draft when it is shown: before it is stamped. */
export function Foretold({ draft }: { draft: Policy }) {
  const [replays, setReplays] = useState<readonly Replay[] | undefined>(undefined)
  const [error, setError] = useState<Error | undefined>(undefined)
  useEffect(() => {
    const paginationOptions = { limit: TRIED }
    query<{ activities: WholeActivityJson[] }>("list_activities", { paginationOptions })
      .then(({ activities }) => replayAll(activities, draft))
      .then(setReplays, (caught: unknown) => setError(caught as Error))
  }, [])
  if (error)
    return (
      <Notice tone="warn">
        <p>It could not be tried on the last activities: {sentenceOfFault(error)}</p>
      </Notice>
    )
  return replays === undefined ? (
    <Skeleton lines={2} />
  ) : (
    <Sentences effect={draft.effect} replays={replays} />
  )
}
