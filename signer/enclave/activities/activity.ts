import type { MessageInitShape } from "@bufbuild/protobuf"
import type { Intent, ResultSchema } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import type { Steps } from "../../core/turns/steps.ts"
import type { ActivityContext, PowerName } from "./context.ts"

export type { ActivityContext } from "./context.ts"

type IntentCase = Exclude<Intent["intent"]["case"], undefined>
type ResultInit = NonNullable<MessageInitShape<typeof ResultSchema>["result"]>
type ResultCase = Exclude<ResultInit["case"], undefined>

/** The message of a member of Intent. */
type IntentOf<Case> = Case extends IntentCase ? Extract<Intent["intent"], { case: Case }>["value"] : unknown

/** The value of a member of Result. */
type ResultOf<Case> = Case extends ResultCase ? Extract<ResultInit, { case: Case }>["value"] : never

/** Ending of the names of intents and results after their first version. */
type Version = "" | `V${number}`

type Needs = readonly PowerName[]

/**
 * The behaviour of an activity. It depends on its parameters and the context only: no clock, no files, no network.
 * Stamp, freshness and decision were checked before; the activity refuses what cannot be done.
 */
export type Activity<
  Name extends string,
  Needed extends Needs = [],
  IntentVersion extends Version = "",
  ResultVersion extends Version = "",
> = Declared<Needed, IntentOf<`${Name}Intent${IntentVersion}`>, ResultOf<`${Name}Result${ResultVersion}`>>

/**
 * An activity that may compute for long: `run` pauses between its parts, so that other orders have their turn. The lock of
 * its organization is held all the time, and nothing that it does is visible before it ends.
 */
export type LongActivity<
  Name extends string,
  Needed extends Needs = [],
  IntentVersion extends Version = "",
  ResultVersion extends Version = "",
> = Declared<
  Needed,
  IntentOf<`${Name}Intent${IntentVersion}`>,
  Steps<ResultOf<`${Name}Result${ResultVersion}`>>
>

/** `check` and `run` are properties, not methods: a function that needs more than is declared does not compile. */
type Declared<Needed extends Needs, Parameters, Result> = NeedsOf<Needed> & {
  /**
   * Refuses parameters that can never be executed, before it runs and before any user is asked to vote. It pauses between
   * its parts where it may compute for long.
   */
  readonly check?: (parameters: Parameters) => void | Steps<void>
  readonly run: (parameters: Parameters, context: ActivityContext<Needed>) => Result
}

/** The powers that the activity gets beside the base. An activity that declares none gets the base alone. */
type NeedsOf<Needed extends Needs> = Needed extends readonly []
  ? { readonly needs?: Needed }
  : { readonly needs: Needed }

/** An activity of any type. The reader ensures that the parameters are those of the type, and the context has its needs. */
export type AnyActivity = {
  readonly needs?: Needs
  readonly check?: (parameters: never) => unknown
  readonly run: (parameters: never, context: never) => unknown
}
