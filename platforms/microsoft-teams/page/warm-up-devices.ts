/** Opens the microphone and the camera once, so that the page notices that it has permission. */
export async function warmUpDevices(): Promise<void> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true, video: true })
  for (const track of stream.getTracks()) track.stop()
}
