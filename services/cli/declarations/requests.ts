import { text } from "node:stream/consumers"
import { clientOf, findStampingKey } from "../api-options.ts"
import type { ListOptions } from "../commands/activity.ts"
import type { RejectOptions } from "../commands/reject.ts"
import type { RequestOptions } from "../commands/request.ts"
import { command, type Declaration, type OptionDeclaration, stamped } from "./command.ts"

/** `request` and `reject`. */
export const requests: readonly Declaration[] = [
  command<RequestOptions & { submit?: string; prove?: true }, [path: string, body?: string]>({
    words: "request <path> [body]",
    about: "stamp and send any request; body - for standard input",
    options: [
      ["--submit <type>", "send the body as the parameters of an activity of this type"],
      ["--prove", "request app proofs of that activity"],
      ["--curl", "print a curl command that sends the stamped request, and send nothing"],
    ],
    shared: "change",
    examples: [
      "request whoami",
      `request create_wallet '{"walletName":"Savings","accounts":[]}' --submit create_wallet`,
      "request list_wallets --curl",
    ],
    run: async ({ options, settings, terminal }, path, body = "{}") => {
      const present = settings()
      const { key, organizationId } = await findStampingKey(options, present)
      const apiRequest = {
        path,
        body: body === "-" ? await text(process.stdin) : body,
        ...(organizationId !== undefined && { organizationId }),
        ...(options.submit !== undefined && { submitType: options.submit }),
        ...(options.prove && { prove: options.prove }),
      }
      const client = { ...clientOf(options, present), key }
      const { request } = await import("../commands/request.ts")
      await request(apiRequest, options, { client, terminal, requestsFolder: present.requestsFolder })
    },
  }),
  command<RejectOptions, [activity?: string]>({
    words: "reject [activity]",
    about: "reject a waiting activity, or all that match the given options",
    options: [
      ["--type <type...>", "activities of these types"],
      ["--by <userId>", "activities that this user submitted"],
      ["--older-than <hours>", "activities that were submitted before"],
      ["--all", "all waiting activities"],
    ],
    shared: "change",
    examples: ["reject 9d41", "reject --older-than 12 --dry-run"],
    run: async ({ options, stamping }, name) => {
      const own = await stamping()
      if (name !== undefined) return (await import("../commands/vote.ts")).rejectNamed(name, options, own)
      return (await import("../commands/reject.ts")).rejectWaiting(options, own)
    },
  }),
]

/** Options that choose activities. */
function filters(limit: string): readonly OptionDeclaration[] {
  return [
    ["--status <word>", "waiting, completed, failed or rejected"],
    ["--type <type>", "of this type, such as sign_raw_payload_v2"],
    ["--limit <number>", limit],
  ]
}

const load = () => import("../commands/activity.ts")

/** `approve` and `activity`. */
export const activities: readonly Declaration[] = [
  command({
    words: "approve <activity>",
    about: "show what a waiting activity signs or changes, ask, and approve it",
    options: [["--yes", "do not ask"]],
    shared: "change",
    examples: ["approve 9d41 --as bob", "approve 9d41 --as bob --yes --json"],
    run: stamped(async () => (await import("../commands/vote.ts")).approve),
  }),
  command({
    words: "activity list",
    about: "list activities, newest first",
    options: filters("number of activities at most; by default 20"),
    shared: "stamp",
    examples: ["activity list --status waiting"],
    run: stamped(async () => (await load()).listRecent),
  }),
  command({
    words: "activity show <activity>",
    about: "show an activity as its stamped bytes say, its votes and its outcome",
    shared: "stamp",
    examples: ["activity show 9d41"],
    run: stamped(async () => (await load()).showActivity),
  }),
  command<ListOptions>({
    words: "activity watch",
    about: "print activities as they arrive and change, until stopped",
    options: filters("number of the newest activities to watch; by default 100"),
    shared: "stamp",
    examples: ["activity watch --json"],
    run: async ({ environment, options, stamping, terminal }) => {
      const { watchActivities } = await load()
      const { onStopRequest } = await import("../../dev/stop-request.ts")
      const stop = onStopRequest({ environment, log: terminal.log, onSecond: () => process.exit(1) })
      await watchActivities(options, await stamping(), stop.signal).finally(stop.dispose)
    },
  }),
  command({
    words: "activity explain <activity>",
    about: "say which policies decided an activity, and why",
    shared: "stamp",
    examples: ["activity explain 9d41"],
    run: stamped(async () => (await load()).explainActivity),
  }),
]
