/*
 * Preloaded into every program of a box (`/etc/ld.so.preload`), lets the clocks that it is told be ahead, and changes nothing
 * else: what is measured from one moment to another, and how long anything takes, stays what it is.
 *
 * The time of day is ahead by the soft limit of file locks (`ulimit -S -w`, RLIMIT_LOCKS), which no kernel has enforced since
 * 2003: children inherit it, and there is no variable that a program would find. Where it cannot be set, CLOCK_AHEAD_S says it.
 * All clocks leap ahead, as if the program had waited so long, where it asks for `setpriority(PRIO_PROCESS, -seconds, 19)`,
 * which no kernel would take.
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
struct rlimit {
  unsigned long now;
  unsigned long most;
};
enum { CLOCK_REALTIME = 0, CLOCK_REALTIME_COARSE = 5, CLOCK_TAI = 11 };
enum { CLOCK_MONOTONIC = 1, CLOCK_MONOTONIC_RAW = 4, CLOCK_MONOTONIC_COARSE = 6, CLOCK_BOOTTIME = 7 };
enum { TIMER_ABSTIME = 1, TIME_UTC = 1, RLIMIT_LOCKS = 10, PRIO_PROCESS = 0, LEAP_PRIORITY = 19 };
#define RTLD_NEXT ((void *)-1L)

/* Moments before this one are of a clock that began when the machine did: none is that old. */
enum { OLDEST_TIME_OF_DAY = 1000000000 };
/* A limit that somebody else has set is no shift: from 12 days on, up to three thousand years. */
static const unsigned long least_ahead = 1000000, most_ahead = 100000000000;

extern void *dlsym(void *library, const char *name);
extern char *getenv(const char *name);
extern long strtol(const char *text, char **end, int base);
extern int getrlimit(int resource, struct rlimit *limit);

/* Of the time of day, from the beginning; of all clocks, since the program leapt. */
static seconds_t ahead;
static volatile seconds_t leapt;
static int (*real_clock_gettime)(int clock, struct timespec *now);
static int (*real_clock_nanosleep)(int clock, int flags, const struct timespec *time, struct timespec *left);
static int (*real_cond_timedwait)(void *condition, void *mutex, const struct timespec *end);
static int (*real_mutex_timedlock)(void *mutex, const struct timespec *end);
static int (*real_sem_timedwait)(void *semaphore, const struct timespec *end);
static int (*real_cond_clockwait)(void *condition, void *mutex, int clock, const struct timespec *end);
static int (*real_sem_clockwait)(void *semaphore, int clock, const struct timespec *end);
static int (*real_setpriority)(int which, unsigned int who, int priority);

static seconds_t said_ahead(void) {
  const char *text = getenv("CLOCK_AHEAD_S");
  struct rlimit locks;
  if (text != 0) return strtol(text, 0, 10);
  if (getrlimit(RLIMIT_LOCKS, &locks) != 0 || locks.now >= locks.most) return 0;
  return locks.now >= least_ahead && locks.now <= most_ahead ? (seconds_t)locks.now : 0;
}

/* A library that is loaded before this one may ask for the time before this one has begun. */
__attribute__((constructor)) static void begin(void) {
  ahead = said_ahead();
  real_clock_nanosleep = dlsym(RTLD_NEXT, "clock_nanosleep");
  real_cond_timedwait = dlsym(RTLD_NEXT, "pthread_cond_timedwait");
  real_mutex_timedlock = dlsym(RTLD_NEXT, "pthread_mutex_timedlock");
  real_sem_timedwait = dlsym(RTLD_NEXT, "sem_timedwait");
  real_cond_clockwait = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  real_sem_clockwait = dlsym(RTLD_NEXT, "sem_clockwait");
  real_setpriority = dlsym(RTLD_NEXT, "setpriority");
  real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
}

static void begun(void) {
  if (real_clock_gettime == 0) begin();
}

/* How far a clock is ahead. Those of processors and processes are what they are. */
static seconds_t ahead_of(int clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return ahead + leapt;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return leapt;
    default:
      return 0;
  }
}

int clock_gettime(int clock, struct timespec *now) {
  begun();
  int result = real_clock_gettime(clock, now);
  if (result == 0) now->tv_sec += ahead_of(clock);
  return result;
}

int setpriority(int which, unsigned int who, int priority) {
  begun();
  if (which != PRIO_PROCESS || (int)who >= 0 || priority != LEAP_PRIORITY) return real_setpriority(which, who, priority);
  leapt += -(seconds_t)(int)who;
  return 0;
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

/* Who waits until some moment has reckoned with the one it was told; the kernel knows the real one. */
static struct timespec real_end_by(int clock, const struct timespec *end) {
  struct timespec real = *end;
  real.tv_sec -= ahead_of(clock);
  if (real.tv_sec < 0) real.tv_sec = 0;
  return real;
}

/* Of a wait that does not say by which clock. */
static struct timespec real_end(const struct timespec *end) {
  return real_end_by(end->tv_sec > OLDEST_TIME_OF_DAY ? CLOCK_REALTIME : CLOCK_MONOTONIC, end);
}

int clock_nanosleep(int clock, int flags, const struct timespec *time, struct timespec *left) {
  begun();
  struct timespec real = (flags & TIMER_ABSTIME) != 0 ? real_end_by(clock, time) : *time;
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

int pthread_cond_clockwait(void *condition, void *mutex, int clock, const struct timespec *end) {
  begun();
  struct timespec real = real_end_by(clock, end);
  return real_cond_clockwait(condition, mutex, clock, &real);
}

int sem_clockwait(void *semaphore, int clock, const struct timespec *end) {
  begun();
  struct timespec real = real_end_by(clock, end);
  return real_sem_clockwait(semaphore, clock, &real);
}
