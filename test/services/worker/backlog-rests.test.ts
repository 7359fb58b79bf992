import t from "tap"
import { BacklogRests } from "../../../services/worker/webhooks/backlog-rests.ts"

t.test("backlogs together use the time of one, whatever their number", async (t) => {
  const rests = new BacklogRests()
  t.equal(rests.after("first", 80), 80, "alone a backlog rests as long as its window took")
  t.equal(rests.after("second", 80), 160, "beside another one twice as long")
  t.equal(rests.after("third", 80), 240)
  t.equal(rests.after("first", 80), 240, "a backlog counts once")
  rests.ended("second")
  rests.ended("third")
  t.equal(rests.after("first", 80), 80, "a turn that is over does not count")
})

t.test("the time of a slow receiver is not made up for", async (t) => {
  const rests = new BacklogRests()
  t.equal(rests.after("slow", 20_000), 250)
})
