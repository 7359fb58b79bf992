// A copied endpoint begins with what the first one has.
import t from "tap"
import {
  eventsText,
  followedFields,
  type ListedSubscription,
  pausedFields,
  subscriptionsOf,
} from "../../../../services/dashboard/pages/webhooks/model.ts"

const CONFIRMED = "BALANCE_CONFIRMED_UPDATES"
const FINALIZED = "BALANCE_FINALIZED_UPDATES"
const ONE = "eip155:1:0x000000000000000000000000000000000000dEaD"
const OTHER = "eip155:1:0x0000000000000000000000000000000000000001"

const following = (eventType: string, ...addresses: string[]) => ({
  eventType,
  filtersJson: JSON.stringify({ addresses }),
})

/** The subscriptions of a copy whose form nobody changes. */
function copyOf(subscriptions: readonly ListedSubscription[]) {
  const paused = pausedFields(subscriptions).flatMap(({ initial }) => initial as readonly string[])
  const events = subscriptions.map(({ eventType }) => eventType)
  return subscriptionsOf(events, followedFields(subscriptions), paused)
}

t.test(
  "C-1900: a copied endpoint follows for each event of balances the accounts that the first one does",
  (t) => {
    for (const subscriptions of [
      [{ eventType: "ACTIVITY_UPDATES" }],
      [following(CONFIRMED, ONE, OTHER), following(FINALIZED, ONE, OTHER)],
      [following(CONFIRMED, ONE), following(FINALIZED, OTHER)],
      [following(FINALIZED, OTHER), { eventType: "ACTIVITY_UPDATES" }, following(CONFIRMED, ONE, OTHER)],
      [{ ...following(CONFIRMED, ONE), isActive: false }, following(FINALIZED, ONE)],
    ])
      t.strictSame(copyOf(subscriptions), subscriptions)
    t.end()
  },
)

t.test(
  "C-1896: a form shows which events of the copied endpoint are paused, and they can be resumed",
  (t) => {
    const subscriptions = [{ ...following(CONFIRMED, ONE), isActive: false }, following(FINALIZED, ONE)]
    const fields = pausedFields(subscriptions)
    t.match(fields, [{ kind: "many", initial: [CONFIRMED], options: [{ label: "Confirmed balances" }] }])
    t.equal(fields[0]?.options?.length, 1)
    const events = [CONFIRMED, FINALIZED]
    const resumed = subscriptionsOf(events, followedFields(subscriptions), [])
    t.strictSame(resumed, [following(CONFIRMED, ONE), following(FINALIZED, ONE)])
    t.equal(eventsText(subscriptions), "Confirmed balances (paused), Final balances")
    t.strictSame(pausedFields([following(CONFIRMED, ONE)]), [], "no field without one")
    t.end()
  },
)

t.test("one field holds the accounts of all events of balances, unless they differ", (t) => {
  const labels = (...subscriptions: ListedSubscription[]) =>
    followedFields(subscriptions).map(({ label }) => label)
  t.strictSame(labels(), ["Accounts"])
  t.strictSame(labels(following(FINALIZED, ONE)), ["Accounts"])
  t.strictSame(labels(following(CONFIRMED, ONE, OTHER), following(FINALIZED, OTHER, ONE)), ["Accounts"])
  t.strictSame(labels(following(CONFIRMED, ONE), following(FINALIZED, OTHER)), [
    "Accounts of confirmed balances",
    "Accounts of final balances",
  ])
  t.end()
})

t.test("a form with accounts alone, or with an event of balances alone, says what is missing", (t) => {
  const [field] = followedFields([])
  t.ok(field)
  if (field === undefined) return t.end()
  const faultOf = (events: string[], accounts: string[]) => {
    try {
      subscriptionsOf(events, [{ ...field, accounts }])
      return ""
    } catch (error) {
      return (error as Error).message
    }
  }
  t.match(faultOf(["ACTIVITY_UPDATES"], [ONE]), /^Choose an event of balances/)
  t.match(faultOf([FINALIZED], []), /^Add the accounts/)
  t.equal(faultOf([FINALIZED], [ONE]), "")
  t.end()
})
