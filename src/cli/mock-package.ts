/**
 * The mock meetings. They come with a checkout; what is installed as a package and the production image go without, so
 * nothing but the commands that need them may load them.
 */
type Mock = typeof import('@standin/mock/index.ts')

export class MockIsMissing extends Error {
  constructor(cause: unknown) {
    super(
      'The mock meetings are not part of this installation: run this command in a checkout of Standin ' +
        '(npm start -- demo), or in the image that `docker build -f docker/Dockerfile --target demo .` makes.',
      { cause },
    )
    this.name = 'MockIsMissing'
  }
}

/** Throws MockIsMissing where the mock meetings, or packages that they use, are not there. */
export async function loadMock(load: () => Promise<Mock> = () => import('@standin/mock/index.ts')): Promise<Mock> {
  try {
    return await load()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') throw new MockIsMissing(error)
    throw error
  }
}
