import t from "tap"
import { allow, request, setupMembers } from "../../../../hostile/consensus-fixture.ts"
import { outcomeOf } from "../../../../harness/api-client.ts"
import { stampWith } from "../../../../harness/stamper.ts"

for (const others of [0, 2]) {
  t.test(
    `a refused vote names three users whose votes count, and the number of the others: ${others}`,
    async (t) => {
      const fixture = await setupMembers(t)
      const { client, acme, dan, eva, fay } = fixture
      const names = new Map([[eva.userId, "eva"]])
      for (let index = 0; index < others + 2; index++)
        names.set((await client.user(acme, `gus ${index}`)).userId, `gus ${index}`)
      const members = [dan.userId, ...names.keys()].map((id) => `u.id == '${id}'`).join(" || ")
      await allow(fixture, {
        policyName: "two of them",
        consensus: `approvers.filter(u, ${members}).count() >= 2`,
      })
      const body = request(fixture)
      const ids = outcomeOf(await client.send(body, dan.key)).decision?.voterIds ?? []
      t.same([...ids].toSorted(), [...names.keys()].toSorted())
      const shown = ids.slice(0, 3).map((id) => `${names.get(id)} (${id})`)
      const counted = ["root members", ...shown, ...(others > 0 ? [`${others} more users`] : [])].join(", ")
      const sentence = `the vote of user ${fay.userId} does not count for this activity; those of ${counted} do`
      t.match(await client.offer(body, stampWith(fay.key, body)), { code: "VOTE_NOT_COUNTED", sentence })
    },
  )
}
