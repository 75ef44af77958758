/** A setting has an invalid value; the message names it and the remedy. */
export class ConfigurationError extends Error {
  constructor(setting: string, fault: string) {
    super(`${setting} ${fault}`);
    this.name = 'ConfigurationError';
  }
}
