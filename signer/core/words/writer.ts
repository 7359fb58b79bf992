import type { Intent } from "../../../proto/gen/countersign/api/v1/activities_pb.ts"
import type { MemberPhrases } from "./member-phrases.ts"
import type { Content, WordsContext } from "./words.ts"

type SomeIntent = Extract<Intent["intent"], { value: object }>

/** Names of the members of Intent: one for each version of each activity. */
export type IntentCase = SomeIntent["case"]

/** The parameters of an intent. */
export type ParametersOf<Case extends IntentCase> = Extract<SomeIntent, { case: Case }>["value"]

/** The sentence of a request, and the contents that it signs, sends or uploads. */
export type Written = { readonly sentence: string; readonly contents: readonly Content[] }

/** Words of an activity. They name what the activity does; every other member is listed beside them. */
export type Writer<Parameters extends object> = (
  members: MemberPhrases<Parameters>,
  context: WordsContext,
) => string | Written

/** Words of every version of every activity. */
export type Writers = { readonly [Case in IntentCase]: Writer<ParametersOf<Case>> }

/** Words of the activities of one group. */
export type FamilyWriters = Partial<Writers>
