/*
 * Preloaded into a program, adds CLOCK_AHEAD_S seconds to the time of day that it is told, and nothing else: what is
 * measured with the monotonic clock, and how long anything takes, stays what it is.
 *
 * It is compiled without a C library's headers, so that an image needs none for it: what it uses is declared here, as it
 * is on a 64-bit Linux.
 */
typedef long seconds_t;
struct timespec {
  seconds_t tv_sec;
  long tv_nsec;
};
struct timeval {
  seconds_t tv_sec;
  long tv_usec;
};
enum { CLOCK_REALTIME = 0, CLOCK_REALTIME_COARSE = 5, CLOCK_TAI = 11 };
enum { TIMER_ABSTIME = 1, TIME_UTC = 1 };
#define RTLD_NEXT ((void *)-1L)

/* Moments before this one are of a clock that began when the machine did: none is that old. */
enum { OLDEST_TIME_OF_DAY = 1000000000 };

extern void *dlsym(void *library, const char *name);
extern char *getenv(const char *name);
extern long strtol(const char *text, char **end, int base);

static seconds_t ahead;
static int (*real_clock_gettime)(int clock, struct timespec *now);
static int (*real_clock_nanosleep)(int clock, int flags, const struct timespec *time, struct timespec *left);
static int (*real_cond_timedwait)(void *condition, void *mutex, const struct timespec *end);
static int (*real_mutex_timedlock)(void *mutex, const struct timespec *end);
static int (*real_sem_timedwait)(void *semaphore, const struct timespec *end);

/* A library that is loaded before this one may ask for the time before this one has begun. */
__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("CLOCK_AHEAD_S");
  ahead = text == 0 ? 0 : strtol(text, 0, 10);
  real_clock_nanosleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  real_cond_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  real_mutex_timedlock = dlsym(RTLD_NEXT, "pthread_mutex_timedlock");
  real_sem_timedwait = dlsym(RTLD_NEXT, "sem_timedwait");
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
}

static void begun(void) {
  if (real_clock_gettime == 0) begin();
}

int clock_gettime(int clock, struct timespec *now) {
  begun();
  int result = real_clock_gettime(clock, now);
  if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)) {
    now->tv_sec += ahead;
  }
  return result;
}

int gettimeofday(struct timeval *now, void *zone) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  now->tv_sec = precise.tv_sec;
  now->tv_usec = precise.tv_nsec / 1000;
  return 0;
}

seconds_t time(seconds_t *now) {
  struct timespec precise;
  clock_gettime(CLOCK_REALTIME, &precise);
  if (now != 0) *now = precise.tv_sec;
  return precise.tv_sec;
}

int timespec_get(struct timespec *now, int base) {
  if (base != TIME_UTC) return 0;
  clock_gettime(CLOCK_REALTIME, now);
  return base;
}

/* Who waits until a time of day has reckoned with the one it was told; the kernel knows the real one. */
static struct timespec real_end(const struct timespec *end) {
  struct timespec real = *end;
  if (real.tv_sec > OLDEST_TIME_OF_DAY) real.tv_sec -= ahead;
  return real;
}

int clock_nanosleep(int clock, int flags, const struct timespec *time, struct timespec *left) {
  begun();
  struct timespec real = *time;
  if ((flags & TIMER_ABSTIME) != 0 && clock == CLOCK_REALTIME) real.tv_sec -= ahead;
  return real_clock_nanosleep(clock, flags, &real, left);
}

int pthread_cond_timedwait(void *condition, void *mutex, const struct timespec *end) {
  begun();
  struct timespec real = real_end(end);
  return real_cond_timedwait(condition, mutex, &real);
}

int pthread_mutex_timedlock(void *mutex, const struct timespec *end) {
  begun();
  struct timespec real = real_end(end);
  return real_mutex_timedlock(mutex, &real);
}

int sem_timedwait(void *semaphore, const struct timespec *end) {
  begun();
  struct timespec real = real_end(end);
  return real_sem_timedwait(semaphore, &real);
}
