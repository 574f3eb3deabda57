/** The type of the failure by which a worker hands back a call that has waited for a slot and has not begun. Its detail says since when. */
export const workerBusy = "worker_busy"
