// When the provider of a purchase is asked again.
import t from "tap"
import {
  beginRefresh,
  getOnRampStatus,
  storeOnRampStatus,
} from "../../../../services/api/store/on-ramp-statuses.ts"
import { freshDatabase } from "../../../harness/database.ts"
import { nextId } from "./sample.ts"

const NOW_MS = 1_800_000_000_000

t.test(
  "a provider is asked about a purchase once in two seconds, until it has reported a final status",
  async (t) => {
    const { sql } = await freshDatabase(t)
    const purchase = { organizationId: nextId(), id: nextId() }
    const begin = (afterMs: number) => beginRefresh(sql, purchase, NOW_MS + afterMs)
    const atOnce = await Promise.all([begin(0), begin(0), begin(0)])
    t.strictSame(atOnce.filter(Boolean), [true], "of requests at once one asks")
    t.equal(await begin(1_999), false)
    t.equal(await getOnRampStatus(sql, purchase), "PENDING")
    t.equal(await begin(2_000), true)
    t.equal(await beginRefresh(sql, { ...purchase, id: nextId() }, NOW_MS + 2_000), true, "another purchase")
    t.equal(await begin(-60_000), true, "a clock that was set back does not end refreshes")
    t.equal(await storeOnRampStatus(sql, purchase, "COMPLETED", NOW_MS), "COMPLETED")
    t.equal(await begin(60_000), false)
    t.equal(await getOnRampStatus(sql, purchase), "COMPLETED")
  },
)
