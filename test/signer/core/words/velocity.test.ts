// Velocity controls in words.
import t from "tap"
import { wordsOf } from "./reading.ts"

const AGGREGATION = {
  method: "VELOCITY_CONTROL_AGGREGATION_METHOD_SUM",
  operator: "VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL",
  threshold: "1.5",
  window: { rolling: { duration: "86400" } },
  groupBy: { user: {} },
}
const ETHER = { definition: [{ caip19: "eip155:1/slip44:60", decimals: "18" }] }

function sentenceOf(dataSource: object, aggregation: object = AGGREGATION): string {
  const control = { name: "daily", identifier: "daily", dataSource, aggregation }
  return wordsOf("CREATE_VELOCITY_CONTROL", control).sentence
}

t.test(
  "a control of transfers names the counted assets, its limit, and the handling of unknown amounts",
  (t) => {
    const counts = 'Create velocity control "daily": it counts transfers of "eip155:1/slip44:60"'
    const holds = 'it holds while their sum is at most "1.5" in 86400 seconds, for each user'
    t.equal(
      sentenceOf({ chainAssetTransfer: ETHER }),
      `${counts}; unknown amounts exceed every threshold; ${holds}`,
    )
    const refusing = { ...ETHER, unknownAmount: "VELOCITY_CONTROL_UNKNOWN_AMOUNT_REFUSED" }
    t.equal(sentenceOf({ chainAssetTransfer: refusing }), `${counts}; unknown amounts are refused; ${holds}`)
    t.end()
  },
)

t.test("a control of activities names their types; a list distinguishes two controls", (t) => {
  const activity = [{ activityType: "ACTIVITY_TYPE_EXPORT_WALLET" }]
  const sentence = sentenceOf(
    { activityExecution: { filter: { activity } } },
    {
      ...AGGREGATION,
      method: "VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT",
      window: { infinite: {} },
      groupBy: { organization: {} },
    },
  )
  t.equal(
    sentence,
    'Create velocity control "daily": it counts activities by "ACTIVITY_TYPE_EXPORT_WALLET"; it holds while their number is at most "1.5" for all time, for the organization',
  )
  t.end()
})
