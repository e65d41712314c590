// SPDX-License-Identifier: Apache-2.0
// The kernels of an application that works on pictures of 3840 x 2160, as somebody would write them who has never heard of plans: of
// different character, each with a grid for all of its work. No two of them write to the same buffer, so that each can be measured
// alone, as often as needed. launches.yaml says how they are launched.

#define GLOBAL extern "C" __global__ void

// Streams: one byte per pixel in, three planes of floats out.
GLOBAL debayer(const unsigned char *raw, float *rgb, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    const unsigned char *cell = raw + (size_t)(y & ~1) * width + (x & ~1); // R G / G B
    size_t plane = (size_t)width * height, at = (size_t)y * width + x;
    rgb[at] = cell[0] / 255.0f;
    rgb[plane + at] = (cell[1] + cell[width]) / 510.0f;
    rgb[2 * plane + at] = cell[width + 1] / 255.0f;
}

// Streams: three reads, one write.
GLOBAL luma(const float *rgb, float *grey, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        grey[i] = 0.299f * rgb[i] + 0.587f * rgb[(size_t)count + i] + 0.114f * rgb[2 * (size_t)count + i];
}

// Atomic operations on shared memory, then on global memory.
GLOBAL histogram(const float *grey, unsigned *bins, int count)
{
    __shared__ unsigned own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        own[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        atomicAdd(&own[min(255, max(0, (int)(grey[i] * 255)))], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], own[i]);
}

// A table in shared memory, made by every block of 256 threads; then reads through it.
GLOBAL curve(const float *grey, const unsigned *bins, float *out, int count)
{
    __shared__ float table[256];
    table[threadIdx.x] = (float)bins[threadIdx.x];
    __syncthreads();
    for (int step = 1; step < 256; step *= 2) {
        float more = threadIdx.x >= step ? table[threadIdx.x - step] : 0;
        __syncthreads();
        table[threadIdx.x] += more;
        __syncthreads();
    }
    float all = table[255] > 0 ? table[255] : 1;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = table[min(255, max(0, (int)(grey[i] * 255)))] / all;
}

// Bilinear, to a quarter of the width and height; a plane per block in z.
GLOBAL resize(const float *rgb, float *little, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, w = width / 4, h = height / 4;
    if (x >= w || y >= h)
        return;
    const float *from = rgb + (size_t)blockIdx.z * width * height + (size_t)(4 * y + 1) * width + 4 * x + 1;
    little[((size_t)blockIdx.z * h + y) * w + x] = 0.25f * (from[0] + from[1] + from[width] + from[width + 1]);
}

// 5 x 5, from a tile in shared memory; blocks of 32 x 8.
GLOBAL convolve(const float *grey, float *out, int width, int height)
{
    const float weight[5] = {0.0625f, 0.25f, 0.375f, 0.25f, 0.0625f};
    __shared__ float tile[12][37];
    int left = blockIdx.x * 32, top = blockIdx.y * 8;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 12 * 36; i += 256) {
        int x = min(width - 1, max(0, left + i % 36 - 2)), y = min(height - 1, max(0, top + i / 36 - 2));
        tile[i / 36][i % 36] = grey[(size_t)y * width + x];
    }
    __syncthreads();
    float sum = 0;
    for (int dy = 0; dy < 5; dy++)
        for (int dx = 0; dx < 5; dx++)
            sum += weight[dy] * weight[dx] * tile[threadIdx.y + dy][threadIdx.x + dx];
    int x = left + threadIdx.x, y = top + threadIdx.y;
    if (x < width && y < height)
        out[(size_t)y * width + x] = sum;
}

// A stencil without shared memory: nine reads, most of them from a cache.
GLOBAL edges(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int l = max(0, x - 1), r = min(width - 1, x + 1);
    const float *a = in + (size_t)max(0, y - 1) * width, *b = in + (size_t)y * width,
                *c = in + (size_t)min(height - 1, y + 1) * width;
    float across = a[r] + 2 * b[r] + c[r] - a[l] - 2 * b[l] - c[l], down = c[l] + 2 * c[x] + c[r] - a[l] - 2 * a[x] - a[r];
    out[(size_t)y * width + x] = sqrtf(across * across + down * down);
}

// Everything is read, next to nothing written.
GLOBAL reduce(const float *in, float *sum, int count)
{
    __shared__ float part[32];
    float own = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        own += in[i];
    for (int offset = 16; offset; offset /= 2)
        own += __shfl_down_sync(0xffffffffu, own, offset);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < blockDim.x / 32; i++)
            own += part[i];
        atomicAdd(sum, own);
    }
}

// Sweeps of a stencil over a tile of 32 x 32 that stays in shared memory.
GLOBAL diffuse(const float *in, float *out, int width, int height, int sweeps)
{
    __shared__ float tile[2][34][35];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = threadIdx.y * 32 + threadIdx.x; i < 34 * 34; i += 1024) {
        int u = min(width - 1, max(0, (int)(blockIdx.x * 32) + i % 34 - 1));
        int v = min(height - 1, max(0, (int)(blockIdx.y * 32) + i / 34 - 1));
        tile[0][i / 34][i % 34] = tile[1][i / 34][i % 34] = in[(size_t)v * width + u];
    }
    __syncthreads();
    for (int k = 0; k < sweeps; k++) {
        float(*from)[35] = tile[k % 2], (*to)[35] = tile[1 - k % 2];
        int i = threadIdx.y + 1, j = threadIdx.x + 1;
        to[i][j] = 0.5f * from[i][j] + 0.125f * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
        __syncthreads();
    }
    if (x < width && y < height)
        out[(size_t)y * width + x] = tile[sweeps % 2][threadIdx.y + 1][threadIdx.x + 1];
}

// A matrix product in tiles of 32 x 32, whose operands stay within L2.
GLOBAL product(const float *a, const float *b, float *c, int n)
{
    __shared__ float left[32][33], right[32][33];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k += 32) {
        left[threadIdx.y][threadIdx.x] = a[(size_t)row * n + k + threadIdx.x];
        right[threadIdx.y][threadIdx.x] = b[(size_t)(k + threadIdx.y) * n + column];
        __syncthreads();
        for (int i = 0; i < 32; i++)
            sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    c[(size_t)row * n + column] = sum;
}

// A block of 256 threads per row: the largest, the sum of exponentials, the quotients.
GLOBAL softmax(const float *in, float *out, int n)
{
    __shared__ float part[256];
    const float *row = in + (size_t)blockIdx.x * n;
    float most = row[0], sum = 0;
    for (int i = threadIdx.x; i < n; i += 256)
        most = fmaxf(most, row[i]);
    part[threadIdx.x] = most;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    most = part[0];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += 256)
        sum += expf(row[i] - most);
    part[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 128; half; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += 256)
        out[(size_t)blockIdx.x * n + i] = expf(row[i] - most) / part[0];
}

// By way of shared memory; blocks of 32 x 8.
GLOBAL transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][33];
    for (int i = threadIdx.y; i < 32; i += 8)
        tile[i][threadIdx.x] = in[(size_t)(blockIdx.y * 32 + i) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += 8)
        out[(size_t)(blockIdx.x * 32 + i) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][i];
}

// Each block of 512 threads sorts 1024 numbers in shared memory (bitonic).
GLOBAL sort_tiles(const float *in, float *out)
{
    __shared__ float own[1024];
    size_t base = (size_t)blockIdx.x * 1024;
    for (int i = threadIdx.x; i < 1024; i += 512)
        own[i] = in[base + i];
    for (int size = 2; size <= 1024; size *= 2)
        for (int stride = size / 2; stride; stride /= 2) {
            __syncthreads();
            int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1)), high = low + stride;
            float a = own[low], b = own[high];
            if ((a > b) == ((low & size) == 0)) {
                own[low] = b;
                own[high] = a;
            }
        }
    __syncthreads();
    for (int i = threadIdx.x; i < 1024; i += 512)
        out[base + i] = own[i];
}

// Running sums along a row, a block of 256 threads per row.
GLOBAL scan_rows(const float *in, float *out, int width)
{
    __shared__ float part[256];
    float before = 0;
    for (int first = 0; first < width; first += 256) {
        int x = first + threadIdx.x;
        part[threadIdx.x] = x < width ? in[(size_t)blockIdx.x * width + x] : 0;
        __syncthreads();
        for (int step = 1; step < 256; step *= 2) {
            float more = threadIdx.x >= step ? part[threadIdx.x - step] : 0;
            __syncthreads();
            part[threadIdx.x] += more;
            __syncthreads();
        }
        if (x < width)
            out[(size_t)blockIdx.x * width + x] = before + part[threadIdx.x];
        before += part[255];
        __syncthreads();
    }
}

// Reads here and there, mostly from L2.
GLOBAL gather(const unsigned *where, const float *from, float *out, int count, unsigned range)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = from[where[i] % range];
}

// Arithmetic and nothing else.
GLOBAL rays(float *out, int count, int steps)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    float x = (float)i / (float)count, a = 0.1f, b = 0.2f;
    for (int k = 0; k < steps; k++) {
        a = a * b + x;
        b = b * 0.5f - a * 0.25f;
    }
    out[i] = a + b;
}

// As much of memory's bandwidth as can be had.
GLOBAL copy_out(const float4 *in, float4 *out, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
        out[i] = in[i];
}

// Where everything comes together.
GLOBAL compose(const float *level, const float *edge, const float *sum, const float *little, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    size_t at = (size_t)y * width + x;
    out[at] = level[at] + (edge[at] > sum[0] / (float)(width * height) ? 1.0f : 0.0f) +
              0.5f * little[(size_t)(y / 4) * (width / 4) + x / 4];
}
