/** How the server itself is doing, as `/readyz` tells it. */
export class ServerStatus {
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** From now on a load balancer should send requests elsewhere; those that come are served. */
  drain(): void {
    this.#isDraining = true;
  }
}
